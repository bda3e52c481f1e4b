// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/reports.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "device/cuda/emulation/execute/failure_text.hpp"
#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/settings.hpp"
#include "device/cuda/rehearsal/faults.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::emulation {

namespace {

struct ReportList {
  std::mutex mutex;
  std::vector<Failure> all;
  std::uint64_t count = 0;
  std::string last_error;
};

ReportList& reported() {
  static auto* const list = new ReportList;  // threads of streams may outlive main()
  return *list;
}

bool is_same_line(const SourceLine& a, const SourceLine& b) {
  if (a.line != b.line || a.file != b.file) return false;
  return a.line != 0 || a.instruction == b.instruction;
}

bool is_same(const Failure& a, const Failure& b) {
  if (a.kind != b.kind || a.kernel != b.kernel || a.device != b.device) return false;
  if (!is_same_line(a.at, b.at) || a.other.has_value() != b.other.has_value()) return false;
  if (!a.has_thread && !a.other) return a.what == b.what;
  if (!a.other) return true;
  return a.other->by == b.other->by && a.other->at.has_value() == b.other->at.has_value() &&
         (!a.other->at || is_same_line(*a.other->at, *b.other->at));
}

/// Whether it is new.
bool add(ReportList& list, const Failure& what) {
  list.count += what.times;
  const auto known =
      std::ranges::find_if(list.all, [&](const Failure& one) { return is_same(one, what); });
  if (known != list.all.end()) {
    known->times += what.times;
    return false;
  }
  if (list.all.size() < most_reports) list.all.push_back(what);
  return true;
}

class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) {
    begin(name) += '"';
    for (const char each : value) {
      const auto code = static_cast<unsigned char>(each);
      if (each == '"' || each == '\\') out_ += '\\';
      if (code >= 0x20) {
        out_ += each;
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
  JsonObject& place(std::string_view name, const Extent& of) {
    begin(name) += "[" + std::to_string(of.x) + ", " + std::to_string(of.y) + ", " +
                   std::to_string(of.z) + "]";
    return *this;
  }
  JsonObject& line(const SourceLine& at) {
    if (at.line != 0) text("file", at.file).number("line", at.line);
    return at.instruction.empty() ? *this : text("instruction", at.instruction);
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

std::string memory_of(const Failure& found) {
  const MemoryNear& memory = found.memory;
  JsonObject made;
  if (memory.nbytes != 0) made.number("base", memory.begin).number("nbytes", memory.nbytes);
  if (memory.device >= 0) made.number("device", memory.device);
  made.number("beyond", memory.beyond());
  return made.boolean("freed", memory.state == MemoryState::freed).done();
}

std::string other_of(const OtherAccess& other) {
  JsonObject made;
  made.boolean("writes", other.writes);
  if (!other.by.empty()) return made.text("by", other.by).done();
  made.place("block", other.block);
  if (other.thread) made.place("thread", *other.thread);
  if (other.at) made.line(*other.at);
  return made.done();
}

std::string waiting_of(const std::vector<WaitingLanes>& all) {
  std::string list = "[";
  for (const WaitingLanes& one : all) {
    JsonObject made;
    made.place("block", one.block).number("warp", one.warp).number("lanes", one.count);
    list += (list.size() == 1 ? "" : ", ") + made.line(one.at).done();
  }
  return list + "]";
}

std::string json_of(const Failure& found) {
  JsonObject made;
  made.text("kind", name_of(found.kind)).number("code", found.code);
  made.text("what", headline(found)).text("text", found.text).number("device", found.device);
  if (!found.kernel.empty()) made.text("kernel", found.kernel);
  if (found.has_thread) made.place("block", found.block).place("thread", found.thread);
  made.line(found.at);
  if (!found.wanted.space.empty()) {
    JsonObject wanted;
    wanted.text("space", found.wanted.space).number("address", found.wanted.address);
    wanted.number("nbytes", found.wanted.nbytes).boolean("writes", found.wanted.writes);
    made.raw("access", wanted.done());
  }
  if (found.memory.nbytes != 0 || found.memory.device >= 0) {
    made.raw("allocation", memory_of(found));
  }
  if (found.other) made.raw("other", other_of(*found.other));
  if (!found.waiting.empty()) made.raw("waiting", waiting_of(found.waiting));
  return made.number("times", found.times).done();
}

void print(int ordinal, const Failure& what) {
  if (!current_emulator_settings().is_quiet) notice(ordinal, what);
}

void tell(int ordinal, const Failure& what, bool is_error) {
  Failure kept = what;
  kept.device = ordinal;
  if (kept.what.empty() && kept.wanted.space.empty()) kept.what = kept.text;
  ReportList& list = reported();
  const std::lock_guard lock(list.mutex);
  const bool is_new = add(list, kept);
  if (is_error) list.last_error = "device " + std::to_string(ordinal) + ": " + what.text;
  if (is_new || is_error) print(ordinal, what);
}

}  // namespace

void report(int ordinal, const Failure& what) { tell(ordinal, what, true); }

void explain(int ordinal, const Failure& what) { print(ordinal, what); }

void notice(int ordinal, const Failure& what) {
  std::fprintf(stderr, "skerry: emulated GPU: device %d: %s\n", ordinal, what.text.c_str());
}

bool report_if_error(int ordinal, const Failure& what) {
  const bool is_error = !current_emulator_settings().model.collected.has(what.kind);
  tell(ordinal, what, is_error);
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

std::size_t skerry_emulator_reports(char* into, std::size_t capacity) {
  const std::string text = emulation::reports_as_json();
  if (text.size() < capacity) std::memcpy(into, text.c_str(), text.size() + 1);
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
}

const char* skerry_emulator_set(const char* name, const char* value) {
  thread_local std::string problem;
  problem = emulation::change_setting(name, value);
  return problem.empty() ? nullptr : problem.c_str();
}

void skerry_emulator_repair() { rehearsal::forget_errors(); }

void skerry_emulator_wait() {
  static_cast<void>(emulation::machine_calls());
  rehearsal::Machine& all = rehearsal::Machine::instance();
  for (int ordinal = 0; ordinal < all.count(); ++ordinal) all.wait_for_device(ordinal);
}
