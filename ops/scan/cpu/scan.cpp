// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/scan/cpu/half_rows.hpp"

#include "device/cpu/thread_pool.hpp"
#include "enabled_dtypes.hpp"

// How a scan is split. A unit is a contiguous run or a strip of adjacent columns; it consists of
// chunks, and a chunk of blocks. A block is scanned on its own, then combined with the total of
// everything before it: earlier blocks of its chunk and earlier chunks. The chunks of a long unit
// can thus run in parallel: first their totals, then, given the carry of each, their results. The
// split, and thus the rounding, depends on the shape and on whether units are runs, but not on the
// number of threads.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

constexpr int64 max_chunks = 32;
constexpr int64 smallest_chunk = 131072;  ///< elements
constexpr int64 carry_capacity = 32 * max_strip_width;

struct ScanTask {
  const ScanParams& params;
  const Scanner& scanner;
  bool past_caches;
  int64 block;
  int64 strip = 1;  ///< columns per unit
  int64 units;
  int64 chunks;
  int64 chunk;             ///< rows per chunk
  int64 first_unit = 0;    ///< the unit that scan_by_chunks() works on
  char* totals = nullptr;  ///< of that unit's chunks

  ScanTask(const ScanParams& scan_params, const Scanner& scan_loops) noexcept
      : params(scan_params),
        scanner(scan_loops),
        past_caches(scan_params.length * scan_params.outer_size * scan_loops.result_size >=
                    tuning::min_uncached_scan_bytes),
        block(scan_params.is_axis_contiguous ? run_block : column_block),
        units(scan_params.outer_size) {
    if (!params.is_axis_contiguous) {
      strip = minimum(params.shape[0], max_strip_width);
      units = params.outer_size / params.shape[0] * ceil_div(params.shape[0], strip);
    }
    const int64 chunk_limit = minimum(max_chunks, params.length * strip / smallest_chunk);
    chunk = ceil_div(ceil_div(params.length, maximum(chunk_limit, 1)), block) * block;
    chunks = params.length > 0 ? ceil_div(params.length, chunk) : 0;
  }
};

struct UnitLocation {
  const char* x;
  char* out;
  int64 n;
};

UnitLocation locate(const ScanTask& task, int64 unit) noexcept {
  const ScanParams& params = task.params;
  UnitLocation location = {params.input, params.output, 1};
  for (int a = 0; a < params.rank; ++a) {
    const bool is_strip = a == 0 && !task.params.is_axis_contiguous;
    const int64 count = is_strip ? ceil_div(params.shape[a], task.strip) : params.shape[a];
    int64 position = unit % count;
    unit /= count;
    if (is_strip) {
      position *= task.strip;
      location.n = minimum(task.strip, params.shape[a] - position);
    }
    location.x += position * params.input_strides[a];
    location.out += position * params.output_strides[a];
  }
  return location;
}

/// Scans one chunk, given the carry `base` of all chunks before it. Stores the chunk's own total in
/// `inner`, and the results only if `write`.
void scan_chunk(const ScanTask& task, const UnitLocation& location, int64 index, const char* base,
                char* inner, bool write) noexcept {
  alignas(64) char carries[carry_capacity];
  alignas(64) char totals[carry_capacity];
  const ScanParams& params = task.params;
  const int64 end = minimum((index + 1) * task.chunk, params.length);
  const auto carry_bytes = static_cast<unsigned long>(location.n * task.scanner.carry_size);
  task.scanner.clear(inner, location.n);
  for (int64 begin = index * task.chunk; begin < end; begin += task.block) {
    __builtin_memcpy(carries, base, carry_bytes);
    task.scanner.merge(carries, inner, location.n);
    const ScanBlock block = {.out = write ? location.out + begin * params.output_step : nullptr,
                             .x = location.x + begin * params.input_step,
                             .out_row = params.output_step,
                             .row = params.input_step,
                             .rows = minimum(task.block, end - begin),
                             .n = location.n,
                             .past_caches = task.past_caches};
    (task.params.is_axis_contiguous ? task.scanner.run : task.scanner.columns)(block, carries,
                                                                               totals);
    task.scanner.merge(inner, totals, location.n);
  }
}

void write_initial(const ScanTask& task, const UnitLocation& location) noexcept {
  if (!task.params.has_initial) return;
  char* out = location.out - task.params.output_step;
  for (int64 i = 0; i < location.n; ++i) task.scanner.initial(out + i * task.scanner.result_size);
}

void scan_units(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& task = *static_cast<const ScanTask*>(context);
  alignas(64) char base[carry_capacity];
  alignas(64) char inner[carry_capacity];
  for (int64 unit = begin; unit < end; ++unit) {
    const UnitLocation location = locate(task, unit);
    write_initial(task, location);
    task.scanner.clear(base, location.n);
    for (int64 index = 0; index < task.chunks; ++index) {
      scan_chunk(task, location, index, base, inner, true);
      if (index + 1 < task.chunks) task.scanner.merge(base, inner, location.n);
    }
  }
}

/// Scans short runs. Each call of the kernel handles all runs of the range that are adjacent along
/// outer axis 0.
void scan_short_runs(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& task = *static_cast<const ScanTask*>(context);
  const ScanParams& params = task.params;
  while (begin < end) {
    UnitLocation location = locate(task, begin);
    location.n = minimum(end - begin, params.shape[0] - begin % params.shape[0]);
    const ScanBlock block = {.out = location.out,
                             .x = location.x,
                             .out_row = params.output_strides[0],
                             .row = params.input_strides[0],
                             .rows = params.length,
                             .n = location.n,
                             .past_caches = false};
    task.scanner.short_runs(block);
    for (int64 i = 0; params.has_initial && i < location.n; ++i) {
      task.scanner.initial(location.out + i * params.output_strides[0] - params.output_step);
    }
    begin += location.n;
  }
}

void total_chunks(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& task = *static_cast<const ScanTask*>(context);
  alignas(64) char base[carry_capacity];
  const UnitLocation location = locate(task, task.first_unit);
  task.scanner.clear(base, location.n);
  for (int64 index = begin; index < end; ++index) {
    scan_chunk(task, location, index, base, task.totals + index * carry_capacity, false);
  }
}

void write_chunks(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& task = *static_cast<const ScanTask*>(context);
  alignas(64) char base[carry_capacity];
  alignas(64) char inner[carry_capacity];
  const UnitLocation location = locate(task, task.first_unit);
  task.scanner.clear(base, location.n);
  for (int64 index = 0; index < begin; ++index) {
    task.scanner.merge(base, task.totals + index * carry_capacity, location.n);
  }
  for (int64 index = begin; index < end; ++index) {
    scan_chunk(task, location, index, base, inner, true);
    task.scanner.merge(base, inner, location.n);
  }
}

/// Scans units one after another, the chunks of each in parallel.
void scan_by_chunks(ScanTask& task) noexcept {
  alignas(64) char totals[max_chunks * carry_capacity];
  task.totals = totals;
  for (task.first_unit = 0; task.first_unit < task.units; ++task.first_unit) {
    write_initial(task, locate(task, task.first_unit));
    cpu::parallel_for(task.chunks, 1, total_chunks, &task);
    cpu::parallel_for(task.chunks, 1, write_chunks, &task);
  }
}

template <class Op, class T>
struct loops_of : ScanLoops<Op, T> {};
template <class Op, ops::stored_only T>
struct loops_of<Op, T> : HalfScanLoops<Op, T> {};

template <class Op, class T>
void fill(Kernel<ScanParams>& kernel) {
  if constexpr (ops::scans_over<Op, T>) kernel.set_host<loops_of<Op, T>::scan>();
}
template <class T, class... Ops>
void fill_all(ScanKernels& table, ops::type_list<Ops...>) {
  int index = 0;
  (fill<Ops, T>(table.kernel[index++][static_cast<int>(dtype_of<T>)]), ...);
}

}  // namespace

void run_scan(const ScanParams& params, const Scanner& scanner) noexcept {
  ScanTask task(params, scanner);
  const int64 size = params.length * params.outer_size;
  const bool is_short = params.is_axis_contiguous && params.rank > 0 && params.length > 0 &&
                        params.length <= tuning::max_short_run;
  const auto scan_range = is_short ? scan_short_runs : scan_units;
  if (size < tuning::scan_parallel_from) return scan_range(&task, 0, task.units);
  if (task.chunks > 1 && task.units < 8 && cpu::thread_count() > 1) return scan_by_chunks(task);
  const int64 unit_size = maximum(task.strip * params.length, 1);
  cpu::parallel_for(task.units, maximum(tuning::scan_parallel_from / 2 / unit_size, 1), scan_range,
                    &task);
}

void fill_scan(ScanKernels& table) {
#define SKERRY_FILL(name) fill_all<type_of<Dtype::name>>(table, ops::scans{});
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
