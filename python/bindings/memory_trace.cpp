// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/memory_trace.hpp"

#include <Python.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/operation.hpp"
#include "core/storage.hpp"
#include "device/memory_pressure.hpp"
#include "device/memory_trace.hpp"
#include "python/bindings/caller_line.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/gil.hpp"
#include "python/bindings/pybind.hpp"

// The trace of memory (SKERRY_TRACE_MEMORY=1): which line of the program created each block.

namespace skerry::python {
namespace {

/// Number of a line of the program; 0 if no Python code runs.
using LineNumber = std::size_t;
using Clock = std::chrono::steady_clock;

struct TracedBlock {
  Device device;
  StorageKind kind = StorageKind::array;
  const void* data = nullptr;
  std::size_t nbytes = 0;
  LineNumber line = 0;
  /// A copy: the name may be text of a Python object. Empty if it is not known.
  std::string operation;
  double start = 0;  ///< in seconds since the trace began
  double end = -1;   ///< negative while the block is live
};

constexpr std::array kind_names{"array", "pinned", "managed", "imported"};

class MemoryTrace {
 public:
  /// Returns the number of the new block.
  std::uint64_t add(const Storage& memory, StorageKind kind, LineNumber line) {
    const std::lock_guard lock(mutex_);
    const char* const operation = current_operation();
    live_.emplace(++last_, TracedBlock{memory.device(), kind, memory.data(), memory.nbytes(), line,
                                       operation != nullptr ? operation : "", now()});
    return last_;
  }

  void end(std::uint64_t number) noexcept {
    const std::lock_guard lock(mutex_);
    const auto entry = live_.find(number);
    if (entry == live_.end()) return;
    entry->second.end = now();
    try {
      if (freed_.size() == max_freed) freed_.pop_front();
      freed_.push_back(std::move(entry->second));
    } catch (const std::bad_alloc&) {
      // A block is missing in the picture.
    }
    live_.erase(entry);
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    live_.clear();
    freed_.clear();
    begin_ = Clock::now();
  }

  /// Returns the blocks, in the order of their creation, and the time.
  std::pair<std::vector<TracedBlock>, double> read() {
    const std::lock_guard lock(mutex_);
    std::vector<TracedBlock> blocks(freed_.begin(), freed_.end());
    for (const auto& [number, block] : live_) blocks.push_back(block);
    std::ranges::stable_sort(blocks, {}, &TracedBlock::start);
    return {std::move(blocks), now()};
  }

 private:
  static constexpr std::size_t max_freed = 100'000;

  [[nodiscard]] double now() const noexcept {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  std::mutex mutex_;
  Clock::time_point begin_ = Clock::now();
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, TracedBlock> live_;
  std::deque<TracedBlock> freed_;
};

/// The lines of the program that created blocks. Keeps their code forever.
class LineTable {
 public:
  /// Returns the number of this thread's line. The GIL must be held.
  LineNumber find() {
    CallerLine line = CallerLine::find();
    if (line.code() == nullptr) return 0;
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] =
        numbers_.try_emplace({line.code(), line.instruction()}, lines_.size());
    if (is_new) lines_.push_back(std::move(line));
    return entry->second;
  }

  [[nodiscard]] const CallerLine& line(LineNumber number) {
    const std::lock_guard lock(mutex_);
    return lines_[number];
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<PyCodeObject*, int>, LineNumber> numbers_;
  std::deque<CallerLine> lines_ = std::deque<CallerLine>(1);  ///< the first is none
};

/// Never destroyed: arrays may be freed after main() has ended.
constinit std::atomic<MemoryTrace*> memory_trace{nullptr};
constinit std::atomic<LineTable*> line_table{nullptr};
/// Held while they are created.
constinit std::mutex creation_mutex;

/// A block whose end the trace records.
class TracedStorage final : public Storage {
 public:
  TracedStorage(StorageRef memory, std::uint64_t number) noexcept
      : Storage(memory->data(), memory->nbytes(), memory->device(), memory->read_only(),
                memory->attachment()),
        memory_(std::move(memory)),
        number_(number) {}

 private:
  void destroy() noexcept override {
    memory_trace.load()->end(number_);
    delete this;
  }

  StorageRef memory_;
  std::uint64_t number_;
};

StorageRef trace(StorageRef memory, StorageKind kind) {
  LineNumber line = 0;
  if (const WithGil gil_guard; gil_guard) line = line_table.load()->find();
  const std::uint64_t number = memory_trace.load()->add(*memory, kind, line);
  return StorageRef(new TracedStorage(std::move(memory), number));
}

bool is_tracing() noexcept {
  return detail::storage_tracer.load(std::memory_order_relaxed) != nullptr;
}

void trace_memory(bool is_on, const std::string& folder) {
  if (!is_on) {
    set_storage_tracer(nullptr);
    return;
  }
  set_package_folder(folder);
  {
    const std::lock_guard lock(creation_mutex);
    if (memory_trace.load() == nullptr) {
      line_table.store(new LineTable);
      memory_trace.store(new MemoryTrace);
    }
  }
  memory_trace.load()->clear();
  set_storage_tracer(trace);
}

std::string text_of_line(LineNumber number) {
  const WithGil gil_guard;
  if (!gil_guard) return "unknown lines";
  const CallerLine& line = line_table.load()->line(number);
  if (line.file() == nullptr) return "no line of Python";
  const char* const file = PyUnicode_AsUTF8(line.file());
  if (file == nullptr) PyErr_Clear();
  return std::string(file == nullptr ? "?" : file) + ":" + std::to_string(line.number());
}

struct Holder {
  std::size_t nbytes = 0;
  std::size_t count = 0;
};

std::string text_of_holder(const Holder& holder) {
  return byte_text(holder.nbytes) + " in " + std::to_string(holder.count) +
         (holder.count == 1 ? " array" : " arrays");
}

py::object time_or_none(double seconds) {
  return seconds < 0 ? py::object(py::none()) : py::object(py::float_(seconds));
}

py::tuple row_of(const TracedBlock& block) {
  const CallerLine& line = line_table.load()->line(block.line);
  py::object file = py::none();
  if (line.file() != nullptr) file = py::reinterpret_borrow<py::object>(line.file());
  const py::object operation =
      block.operation.empty() ? py::object(py::none()) : py::str(block.operation);
  return py::make_tuple(to_string(block.device), kind_names[static_cast<std::size_t>(block.kind)],
                        reinterpret_cast<std::uintptr_t>(block.data), block.nbytes, operation, file,
                        line.number(), block.start, time_or_none(block.end));
}

py::object traced_blocks() {
  if (!is_tracing()) return py::none();
  const auto [blocks, now] = memory_trace.load()->read();
  py::list rows;
  for (const TracedBlock& block : blocks) rows.append(row_of(block));
  return py::make_tuple(rows, now);
}

}  // namespace

std::string describe_holders(Device device) {
  if (!is_tracing())
    return "; SKERRY_TRACE_MEMORY=1 in the environment names the lines that hold memory";
  std::map<std::string, Holder> holders;
  Holder imported;
  const auto [blocks, now] = memory_trace.load()->read();
  for (const TracedBlock& block : blocks) {
    if (block.end >= 0 || block.device != device) continue;
    Holder& holder =
        block.kind == StorageKind::imported ? imported : holders[text_of_line(block.line)];
    holder.nbytes += block.nbytes;
    ++holder.count;
  }
  std::vector<std::pair<std::string, Holder>> largest(holders.begin(), holders.end());
  std::ranges::stable_sort(largest, std::ranges::greater{},
                           [](const auto& entry) { return entry.second.nbytes; });
  constexpr std::size_t max_lines = 5;
  std::string text = "; held by the lines: ";
  for (std::size_t i = 0; i < std::min(largest.size(), max_lines); ++i) {
    if (i > 0) text += ", ";
    text += text_of_holder(largest[i].second) + " of " + largest[i].first;
  }
  if (largest.empty()) text += "none";
  if (largest.size() > max_lines)
    text += ", and " + std::to_string(largest.size() - max_lines) + " more lines";
  return text + "; imported: " + text_of_holder(imported);
}

void add_memory_trace(py::module_& module) {
  module.def("trace_memory", trace_memory, py::arg("is_on"), py::arg("folder"), py::pos_only(),
             "Start or stop the trace of memory; skip frames of code in the folder.");
  module.def("traced_blocks", traced_blocks,
             "(rows for skerry._memory_snapshot.MemoryBlock, current time); None without a trace.");
}

}  // namespace skerry::python
