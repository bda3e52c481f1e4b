// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/reports.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/library_tasks.hpp"
#include "device/emulator/runtime/named_arrays.hpp"
#include "device/emulator/runtime/settings.hpp"
#include "device/emulator/runtime/stream_races.hpp"
#include "device/rehearsal/faults.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation {

namespace {

struct ReportList {
  std::mutex mutex;
  std::vector<Failure> all;
  std::uint64_t count = 0;
  std::string last_error;
  /// By device: the last error before its sticky error, which is that error.
  std::array<std::string, rehearsal::max_devices> errors;
};

ReportList& reported() {
  static auto* const list = new ReportList;  // leaked: threads of streams may outlive main()
  return *list;
}

bool is_same_line(const SourceLine& a, const SourceLine& b) {
  if (a.line != b.line || a.file != b.file) return false;
  return a.line != 0 || a.instruction == b.instruction;
}

bool is_same(const Failure& a, const Failure& b) {
  if (a.kind != b.kind || a.kernel != b.kernel || a.device != b.device) return false;
  if (!is_same_line(a.source_line, b.source_line) || a.other.has_value() != b.other.has_value())
    return false;
  if (!a.has_thread && !a.other) return a.summary == b.summary;
  if (!a.other) return true;
  return a.other->operation_name == b.other->operation_name &&
         a.other->source_line.has_value() == b.other->source_line.has_value() &&
         (!a.other->source_line || is_same_line(*a.other->source_line, *b.other->source_line));
}

/// Adds a failure to the list. False if it repeats a listed one, whose count is increased instead.
bool add(ReportList& list, const Failure& failure) {
  list.count += failure.times;
  const auto entry =
      std::ranges::find_if(list.all, [&](const Failure& one) { return is_same(one, failure); });
  if (entry != list.all.end()) {
    entry->times += failure.times;
    return false;
  }
  if (list.all.size() < max_reports) list.all.push_back(failure);
  return true;
}

class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) {
    begin(name) += '"';
    for (const char character : value) {
      const auto code = static_cast<unsigned char>(character);
      if (character == '"' || character == '\\') out_ += '\\';
      if (code >= 0x20) {
        out_ += character;
        continue;
      }
      std::array<char, 8> escaped;
      (void)std::snprintf(escaped.data(), escaped.size(), "\\u%04x", code);
      out_ += escaped.data();
    }
    out_ += '"';
    return *this;
  }
  template <class Number>
  JsonObject& number(std::string_view name, Number value) {
    begin(name) += std::to_string(value);
    return *this;
  }
  JsonObject& boolean(std::string_view name, bool value) {
    begin(name) += value ? "true" : "false";
    return *this;
  }
  JsonObject& raw(std::string_view name, const std::string& value) {
    begin(name) += value;
    return *this;
  }
  JsonObject& index(std::string_view name, const Extent& value) {
    begin(name) += "[" + std::to_string(value.x) + ", " + std::to_string(value.y) + ", " +
                   std::to_string(value.z) + "]";
    return *this;
  }
  JsonObject& line(const SourceLine& source_line) {
    if (source_line.line != 0) text("file", source_line.file).number("line", source_line.line);
    if (!source_line.quote.empty()) text("source", source_line.quote);
    return source_line.instruction.empty() ? *this : text("instruction", source_line.instruction);
  }
  [[nodiscard]] std::string done() const { return out_ + "}"; }

 private:
  std::string& begin(std::string_view name) {
    out_ += out_.size() == 1 ? "\"" : ", \"";
    out_ += name;
    return out_ += "\": ";
  }
  std::string out_ = "{";
};

std::string memory_of(const Failure& failure) {
  const MemoryNear& memory = failure.memory;
  JsonObject object;
  if (failure.allocated) object.line(*failure.allocated);
  if (memory.nbytes != 0) object.number("base", memory.begin).number("nbytes", memory.nbytes);
  if (memory.device >= 0) object.number("device", memory.device);
  object.number("beyond", memory.distance());
  return object.boolean("freed", memory.state == MemoryState::freed).done();
}

std::string array_of(const NamedArray& array) {
  return JsonObject()
      .text("text", array.text)
      .number("base", array.begin)
      .number("nbytes", array.nbytes)
      .number("beyond", array.distance())
      .done();
}

std::string other_of(const OtherAccess& other) {
  JsonObject object;
  object.boolean("writes", other.writes);
  if (!other.operation_name.empty()) {
    object.text("by", other.operation_name);
  } else {
    object.index("block", other.block);
  }
  if (other.thread) object.index("thread", *other.thread);
  if (other.source_line) object.line(*other.source_line);
  return object.done();
}

std::string waiting_of(const std::vector<WaitingLanes>& all) {
  std::string list = "[";
  for (const WaitingLanes& one : all) {
    JsonObject object;
    object.index("block", one.block).number("warp", one.warp).number("lanes", one.count);
    list += (list.size() == 1 ? "" : ", ") + object.line(one.source_line).done();
  }
  return list + "]";
}

std::string json_of(const Failure& failure) {
  JsonObject object;
  object.text("kind", name_of(failure.kind)).number("code", failure.code);
  object.text("what", headline(failure))
      .text("text", failure.text)
      .number("device", failure.device);
  if (!failure.kernel.empty()) object.text("kernel", failure.kernel);
  if (failure.has_thread) object.index("block", failure.block).index("thread", failure.thread);
  object.line(failure.source_line);
  if (!failure.access.space.empty()) {
    JsonObject access;
    access.text("space", failure.access.space).number("address", failure.access.address);
    access.number("nbytes", failure.access.nbytes).boolean("writes", failure.access.writes);
    object.raw("access", access.done());
  }
  if (failure.memory.nbytes != 0 || failure.memory.device >= 0) {
    object.raw("allocation", memory_of(failure));
  }
  if (failure.array) object.raw("array", array_of(*failure.array));
  if (failure.other) object.raw("other", other_of(*failure.other));
  if (!failure.waiting.empty()) object.raw("waiting", waiting_of(failure.waiting));
  return object.number("times", failure.times).done();
}

void print(int ordinal, const Failure& failure) {
  if (!current_emulator_settings().is_quiet) notice(ordinal, failure);
}

/// Finds the memory of a failure whose address alone is known: of races between streams and of
/// misaligned accesses.
void find_memory_of(Failure& failure) {
  MemoryNear& memory = failure.memory;
  const bool is_global = failure.access.space == "global";
  const std::uint64_t address = is_global ? failure.access.address : memory.address;
  if (memory.nbytes != 0 || memory.state != MemoryState::none || address == 0) return;
  rehearsal::System& all = rehearsal::System::instance();
  const auto* const data = reinterpret_cast<const void*>(address);
  const rehearsal::MemoryBlock block = all.find(data, true);
  if (!block) return;
  memory = {.state = MemoryState::live,
            .begin = reinterpret_cast<std::uint64_t>(block.data),
            .nbytes = block.nbytes,
            .address = address,
            .device = all.owner(data)};
}

/// Adds the array that is nearest to the address of a failure, if it has a name, and the line that
/// has allocated the memory.
void name_array_of(Failure& failure) {
  find_memory_of(failure);
  if (failure.memory.nbytes == 0) return;
  failure.array = nearest_array(failure.memory.begin, failure.memory.address);
  failure.allocated = allocation_line(failure.memory.begin);
  if (failure.memory.state == MemoryState::freed && !failure.other) {
    if (auto line = free_line(failure.memory.begin)) {
      failure.other = OtherAccess{
          .operation_name = end_of_allocation, .source_line = std::move(line), .writes = true};
    }
  }
  if (failure.array || failure.allocated || failure.other) failure.text = text_of(failure);
}

void record_failure(int ordinal, const Failure& failure, bool is_error) {
  Failure listed_failure = failure;
  listed_failure.device = ordinal;
  name_array_of(listed_failure);
  if (listed_failure.summary.empty() && listed_failure.access.space.empty())
    listed_failure.summary = listed_failure.text;
  ReportList& list = reported();
  const std::lock_guard lock(list.mutex);
  const bool is_new = add(list, listed_failure);
  if (is_error) {
    list.last_error = "device " + std::to_string(ordinal) + ": " + listed_failure.text;
    if (rehearsal::sticky_error(ordinal) == cuda::success)
      list.errors[static_cast<std::size_t>(ordinal)] = listed_failure.text;
  }
  if (is_new || is_error) print(ordinal, listed_failure);
}

void wait_until_idle(double seconds) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(
                                      std::chrono::duration<double>(seconds));
  rehearsal::System& all = rehearsal::System::instance();
  for (int ordinal = 0; ordinal < all.count(); ++ordinal) {
    while (!all.is_idle(ordinal)) {
      if (clock::now() > end) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

/// Prints the errors that no call has returned. Returns their number.
int print_unnoticed() {
  ReportList& list = reported();
  const std::lock_guard lock(list.mutex);
  int count = 0;
  for (int ordinal = 0; ordinal < rehearsal::System::instance().count(); ++ordinal) {
    if (!rehearsal::is_unnoticed(ordinal)) continue;
    ++count;
    const std::string& text = list.errors[static_cast<std::size_t>(ordinal)];
    std::fprintf(stderr,
                 "skerry: emulated GPU: device %d: the program ends, and no call has raised the "
                 "error of a kernel; exit status 1 instead of 0: %s\n",
                 ordinal, text.c_str());
  }
  return count;
}

}  // namespace

void report(int ordinal, const Failure& failure) { record_failure(ordinal, failure, true); }

void report_finding(int ordinal, const Failure& failure) {
  record_failure(ordinal, failure, false);
}

void set_error_text(int ordinal, const std::string& text) {
  ReportList& list = reported();
  const std::lock_guard lock(list.mutex);
  list.last_error = "device " + std::to_string(ordinal) + ": " + text;
  if (rehearsal::sticky_error(ordinal) == cuda::success)
    list.errors[static_cast<std::size_t>(ordinal)] = text;
}

void explain(int ordinal, const Failure& failure) { print(ordinal, failure); }

void notice(int ordinal, const Failure& failure) {
  std::fprintf(stderr, "skerry: emulated GPU: device %d: %s\n", ordinal, failure.text.c_str());
}

bool report_if_error(int ordinal, const Failure& failure) {
  const bool is_error = !current_emulator_settings().model.collected.has(failure.kind);
  record_failure(ordinal, failure, is_error);
  return is_error;
}

std::string last_report() {
  ReportList& list = reported();
  const std::lock_guard lock(list.mutex);
  return list.last_error;
}

std::string reports_as_json() {
  ReportList& list = reported();
  const std::lock_guard lock(list.mutex);
  std::string text = "[";
  for (const Failure& one : list.all) text += (text.size() == 1 ? "" : ",\n") + json_of(one);
  return text + "]";
}

}  // namespace skerry::emulation

using namespace skerry;

std::size_t skerry_emulator_reports(char* buffer, std::size_t capacity) {
  const std::string text = emulation::reports_as_json();
  if (text.size() < capacity) std::memcpy(buffer, text.c_str(), text.size() + 1);
  return text.size() + 1;
}

std::uint64_t skerry_emulator_report_count() {
  emulation::ReportList& list = emulation::reported();
  const std::lock_guard lock(list.mutex);
  return list.count;
}

void skerry_emulator_clear_reports() {
  emulation::ReportList& list = emulation::reported();
  const std::lock_guard lock(list.mutex);
  list.all.clear();
  list.count = 0;
  list.last_error.clear();
  list.errors = {};
  skerry_emulator_notice();
}

void skerry_emulator_notice() {
  for (int ordinal = 0; ordinal < rehearsal::max_devices; ++ordinal)
    static_cast<void>(rehearsal::returned_error(ordinal));
}

const char* skerry_emulator_set(const char* name, const char* value) {
  thread_local std::string error_message;
  error_message = emulation::change_setting(name, value);
  return error_message.empty() ? nullptr : error_message.c_str();
}

void skerry_emulator_repair() { rehearsal::clear_errors(); }

void skerry_emulator_end(double seconds) {
  if (!emulation::system_has_started()) return;
  emulation::call_end_checks();
  emulation::wait_until_idle(seconds);
  if (emulation::print_unnoticed() > 0) emulation::fail_at_exit();
}

void skerry_emulator_wait() {
  static_cast<void>(emulation::driver_api());
  rehearsal::System& all = rehearsal::System::instance();
  for (int ordinal = 0; ordinal < all.count(); ++ordinal) all.wait_for_device(ordinal);
}

void skerry_emulator_check_end() { emulation::call_end_checks(); }
