// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/scan/cpu/half_rows.hpp"

#include "device/cpu/thread_pool.hpp"
#include "enabled_dtypes.hpp"

// How a scan is cut up. A unit is one contiguous run, or a strip of columns side by side; it goes
// in chunks, and a chunk in blocks. A block is scanned for itself, after what its chunk and the
// chunks before it carry into it. So the chunks of a long unit can be had side by side: first their
// totals, then, with what came before each, their results. The cut depends on the shape and on
// whether a unit is a run: so does the result, with any number of threads and either way.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

constexpr int64 scan_parallel_from = 65536;
constexpr int64 short_run = 32;  ///< a call of its own costs as much as the elements
constexpr int64 most_chunks = 32;
constexpr int64 smallest_chunk = 131072;  ///< elements
constexpr int64 carry_room = 32 * widest_strip;
/// Results larger than this leave no room in a cache for anything, themselves least.
constexpr int64 past_caches_from = int64(8) << 20;

struct ScanJob {
  const ScanParams& work;
  const Scanner& how;
  bool past_caches;
  int64 block;
  int64 strip = 1;  ///< columns of a unit
  int64 units;
  int64 chunks;
  int64 chunk;             ///< rows of one
  int64 first_unit = 0;    ///< of the units that are done chunk by chunk
  char* totals = nullptr;  ///< of their chunks

  ScanJob(const ScanParams& of, const Scanner& with) noexcept
      : work(of),
        how(with),
        past_caches(of.length * of.others * with.result_size >= past_caches_from),
        block(of.is_run ? run_block : column_block),
        units(of.others) {
    if (!work.is_run) {
      strip = least(work.shape[0], widest_strip);
      units = work.others / work.shape[0] * ceil_div(work.shape[0], strip);
    }
    const int64 most = least(most_chunks, work.length * strip / smallest_chunk);
    chunk = ceil_div(ceil_div(work.length, greatest(most, 1)), block) * block;
    chunks = work.length > 0 ? ceil_div(work.length, chunk) : 0;
  }
};

struct UnitPlace {
  const char* x;
  char* out;
  int64 n;
};

UnitPlace locate(const ScanJob& job, int64 unit) noexcept {
  const ScanParams& work = job.work;
  UnitPlace at = {work.input, work.output, 1};
  for (int a = 0; a < work.rank; ++a) {
    const bool is_strip = a == 0 && !job.work.is_run;
    const int64 count = is_strip ? ceil_div(work.shape[a], job.strip) : work.shape[a];
    int64 position = unit % count;
    unit /= count;
    if (is_strip) {
      position *= job.strip;
      at.n = least(job.strip, work.shape[a] - position);
    }
    at.x += position * work.input_strides[a];
    at.out += position * work.output_strides[a];
  }
  return at;
}

/// Scans one chunk after `base`; leaves what the chunk adds to it in `inner`.
void scan_chunk(const ScanJob& job, const UnitPlace& at, int64 index, const char* base, char* inner,
                bool write) noexcept {
  alignas(64) char before[carry_room];
  alignas(64) char totals[carry_room];
  const ScanParams& work = job.work;
  const int64 end = least((index + 1) * job.chunk, work.length);
  const auto carry_bytes = static_cast<unsigned long>(at.n * job.how.carry_size);
  job.how.clear(inner, at.n);
  for (int64 begin = index * job.chunk; begin < end; begin += job.block) {
    __builtin_memcpy(before, base, carry_bytes);
    job.how.merge(before, inner, at.n);
    const ScanBlock block = {.out = write ? at.out + begin * work.output_step : nullptr,
                             .x = at.x + begin * work.input_step,
                             .out_row = work.output_step,
                             .row = work.input_step,
                             .rows = least(job.block, end - begin),
                             .n = at.n,
                             .past_caches = job.past_caches};
    (job.work.is_run ? job.how.run : job.how.columns)(block, before, totals);
    job.how.merge(inner, totals, at.n);
  }
}

void write_initial(const ScanJob& job, const UnitPlace& at) noexcept {
  if (!job.work.has_initial) return;
  char* out = at.out - job.work.output_step;
  for (int64 i = 0; i < at.n; ++i) job.how.initial(out + i * job.how.result_size);
}

void scan_units(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& job = *static_cast<const ScanJob*>(context);
  alignas(64) char base[carry_room];
  alignas(64) char inner[carry_room];
  for (int64 unit = begin; unit < end; ++unit) {
    const UnitPlace at = locate(job, unit);
    write_initial(job, at);
    job.how.clear(base, at.n);
    for (int64 index = 0; index < job.chunks; ++index) {
      scan_chunk(job, at, index, base, inner, true);
      if (index + 1 < job.chunks) job.how.merge(base, inner, at.n);
    }
  }
}

/// Runs that are too short for a call each: along the fastest of the other axes at once.
void scan_short_runs(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& job = *static_cast<const ScanJob*>(context);
  const ScanParams& work = job.work;
  while (begin < end) {
    UnitPlace at = locate(job, begin);
    at.n = least(end - begin, work.shape[0] - begin % work.shape[0]);
    const ScanBlock block = {.out = at.out,
                             .x = at.x,
                             .out_row = work.output_strides[0],
                             .row = work.input_strides[0],
                             .rows = work.length,
                             .n = at.n,
                             .past_caches = false};
    job.how.short_runs(block);
    for (int64 i = 0; work.has_initial && i < at.n; ++i) {
      job.how.initial(at.out + i * work.output_strides[0] - work.output_step);
    }
    begin += at.n;
  }
}

void total_chunks(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& job = *static_cast<const ScanJob*>(context);
  alignas(64) char base[carry_room];
  const UnitPlace at = locate(job, job.first_unit);
  job.how.clear(base, at.n);
  for (int64 index = begin; index < end; ++index) {
    scan_chunk(job, at, index, base, job.totals + index * carry_room, false);
  }
}

void write_chunks(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& job = *static_cast<const ScanJob*>(context);
  alignas(64) char base[carry_room];
  alignas(64) char inner[carry_room];
  const UnitPlace at = locate(job, job.first_unit);
  job.how.clear(base, at.n);
  for (int64 index = 0; index < begin; ++index) {
    job.how.merge(base, job.totals + index * carry_room, at.n);
  }
  for (int64 index = begin; index < end; ++index) {
    scan_chunk(job, at, index, base, inner, true);
    job.how.merge(base, inner, at.n);
  }
}

/// Few units of many chunks.
void scan_by_chunks(ScanJob& job) noexcept {
  alignas(64) char totals[most_chunks * carry_room];
  job.totals = totals;
  for (job.first_unit = 0; job.first_unit < job.units; ++job.first_unit) {
    write_initial(job, locate(job, job.first_unit));
    cpu::parallel_for(job.chunks, 1, total_chunks, &job);
    cpu::parallel_for(job.chunks, 1, write_chunks, &job);
  }
}

template <class Op, class T>
struct loops_of : ScanLoops<Op, T> {};
template <class Op>
struct loops_of<Op, float16> : HalfScanLoops<Op> {};

template <class Op, class T>
void fill(Kernel& entry) {
  if constexpr (ops::scans_over<Op, T>) entry.host = loops_of<Op, T>::scan;
}
template <class T, class... Ops>
void fill_all(scan_kernels& table, ops::type_list<Ops...>) {
  int index = 0;
  (fill<Ops, T>(table.loop[index++][static_cast<int>(dtype_of<T>)]), ...);
}

}  // namespace

void run_scan(const ScanParams& work, const Scanner& how) noexcept {
  ScanJob job(work, how);
  const int64 size = work.length * work.others;
  const bool is_short = work.is_run && work.rank > 0 && work.length > 0 && work.length <= short_run;
  const auto run = is_short ? scan_short_runs : scan_units;
  if (size < scan_parallel_from) return run(&job, 0, job.units);
  if (job.chunks > 1 && job.units < 8 && cpu::thread_count() > 1) return scan_by_chunks(job);
  const int64 unit_size = greatest(job.strip * work.length, 1);
  cpu::parallel_for(job.units, greatest(scan_parallel_from / 2 / unit_size, 1), run, &job);
}

void fill_scan(scan_kernels& table) {
#define SKERRY_FILL(name) fill_all<type_of<Dtype::name>>(table, ops::scans{});
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
