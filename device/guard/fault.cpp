// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/guard/fault.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include <ucontext.h>
#include <unistd.h>
#include <csignal>

#include "device/guard/note.hpp"

namespace skerry::guard {

namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS};
constexpr int max_finders = 4;
constexpr unsigned seconds_for_reports = 5;
constinit std::atomic<fault_finder> finders[max_finders]{};
constinit std::mutex installing;
struct sigaction former[2];  ///< previous handlers; guarded by `installing`, except in on_fault()
constinit std::atomic<bool> is_reported{false};

/// Text for stderr, built without heap allocation: signal handlers must not allocate.
class Report {
 public:
  Report() = default;
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() {
    const char* cursor = text_;
    while (length_ > 0) {
      const ssize_t written = write(STDERR_FILENO, cursor, length_);
      if (written <= 0) return;
      cursor += written;
      length_ -= static_cast<std::size_t>(written);
    }
  }
  Report& operator<<(const char* text) noexcept { return *this << std::string_view(text); }
  Report& operator<<(std::string_view text) noexcept {
    const std::size_t n = std::min(text.size(), sizeof text_ - length_);
    std::memcpy(text_ + length_, text.data(), n);
    length_ += n;
    return *this;
  }
  Report& operator<<(std::uint64_t number) noexcept { return add(number, 10); }
  Report& operator<<(std::int64_t number) noexcept {
    if (number < 0) *this << "-";
    return add(
        number < 0 ? -static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number), 10);
  }
  Report& write_address(const void* address) noexcept {
    *this << std::string_view("0x");
    return add(reinterpret_cast<std::uintptr_t>(address), 16);
  }
  Report& list(const std::int64_t* values, int count) noexcept {
    *this << "(";
    for (int i = 0; i < count; ++i) {
      if (i > 0) *this << ", ";
      *this << values[i];
    }
    return *this << (count == 1 ? ",)" : ")");
  }

 private:
  Report& add(std::uint64_t number, unsigned base) noexcept {
    char digits[20];
    std::size_t n = sizeof digits;
    do {
      digits[--n] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number != 0);
    return *this << std::string_view(digits + n, sizeof digits - n);
  }

  char text_[4096];
  std::size_t length_ = 0;
};

Report& operator<<(Report& out, const OperandAttributes& operand) noexcept {
  out << operand.dtype << " ";
  out.list(operand.shape, operand.rank) << ", strides ";
  return out.list(operand.strides, operand.rank);
}

/// Writes the arrays of a call that are inside a block, or (`wants_inside` false) the other ones.
struct OperandWriter {
  Report& out;
  const FaultBlock& fault_block;
  bool wants_inside;
  int count = 0;

  [[nodiscard]] bool is_inside(const OperandAttributes& operand) const noexcept {
    const auto offset = static_cast<const char*>(operand.block) - fault_block.begin;
    return offset >= 0 && static_cast<std::size_t>(offset) <= fault_block.nbytes;
  }
  static void visit(void* context, const OperandAttributes& operand) {
    auto& self = *static_cast<OperandWriter*>(context);
    if (self.is_inside(operand) != self.wants_inside) return;
    self.out << (self.count++ > 0 ? "; " : "") << operand;
  }
};

void write_position(Report& out, const FaultBlock& fault_block, const char* address) noexcept {
  const auto length = static_cast<std::int64_t>(fault_block.nbytes);
  const std::int64_t offset = address - fault_block.begin;
  if (offset < 0) {
    out << -offset << (offset == -1 ? " byte" : " bytes") << " before the beginning of ";
  } else if (offset >= length) {
    out << offset - length + 1 << (offset == length ? " byte" : " bytes") << " beyond the end of ";
  } else {
    out << "byte " << offset << " of ";
  }
}

void write_report(const FaultBlock& fault_block, const char* address, const char* access) noexcept {
  const CallNote* const note = nearest_note();
  Report out;
  out << "skerry: " << (note != nullptr ? note->operation : "no operation of skerry") << ": "
      << access << " ";
  write_position(out, fault_block, address);
  OperandWriter inside{.out = out, .fault_block = fault_block, .wants_inside = true};
  if (note != nullptr) note->visit(*note, OperandWriter::visit, &inside);
  if (inside.count > 0) {
    out << " in a block of ";
  } else {
    out << (note != nullptr ? "memory that is no operand, a block of " : "a block of ");
  }
  out << static_cast<std::uint64_t>(fault_block.nbytes) << " bytes at ";
  out.write_address(fault_block.begin)
      << (fault_block.is_freed ? " that was freed" : "") << " (SKERRY_ALLOCATOR)\n";
  if (note == nullptr) return;
  out << "skerry: " << note->operation << ": its other arrays: ";
  OperandWriter other_operands{.out = out, .fault_block = fault_block, .wants_inside = false};
  note->visit(*note, OperandWriter::visit, &other_operands);
  out << (other_operands.count == 0 ? "none\n" : "\n");
}

const char* access_of(const void* context) noexcept {
#if defined(__x86_64__)
  constexpr std::uint64_t is_write = 2;
  const auto* const user_context = static_cast<const ucontext_t*>(context);
  return (static_cast<std::uint64_t>(user_context->uc_mcontext.gregs[REG_ERR]) & is_write) != 0
             ? "writes"
             : "reads";
#else
  static_cast<void>(context);
  return "accesses";
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  // si_code > 0: a real fault, which has an address, not a raised signal. faulthandler raises the
  // signal again after its own report.
  const bool is_real = info->si_code > 0;
  if (is_real && !is_reported.exchange(true)) {
    FaultBlock fault_block;
    for (const auto& finder : finders) {
      const fault_finder find = finder.load();
      if (find == nullptr || !find(info->si_addr, fault_block)) continue;
      write_report(fault_block, static_cast<const char*>(info->si_addr), access_of(context));
      break;
    }
    // The instruction runs again, and the previous handler gets the fault.
    sigaction(signal, &former[signal == SIGBUS], nullptr);
    return;
  }
  // Several threads of one operation may fault at once. The first ends the process, once it and the
  // previous handler have written their reports.
  if (is_real) sleep(seconds_for_reports);
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  if (!is_real) raise(signal);
}

void write_freed_wrongly(const FaultBlock& block, const char* description) noexcept {
  const CallNote* const note = nearest_note();
  Report out;
  out << "skerry: " << (note != nullptr ? note->operation : "no operation of skerry")
      << ": found a block of " << static_cast<std::uint64_t>(block.nbytes) << " bytes at ";
  out.write_address(block.begin) << " " << description << " (SKERRY_ALLOCATOR)\n";
}

}  // namespace

void add_fault_finder(fault_finder find) noexcept {
  for (auto& finder : finders) {
    fault_finder current_finder = nullptr;
    if (finder.compare_exchange_strong(current_finder, find) || current_finder == find) return;
  }
}

void catch_faults() noexcept {
  const std::lock_guard lock(installing);
  for (const int signal : signals) {
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) continue;
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    former[signal == SIGBUS] = now;
    sigaction(signal, &action, nullptr);
  }
}

void report_overwritten(const FaultBlock& block, const char* side) noexcept {
  write_freed_wrongly(block, side);
  std::abort();
}

}  // namespace skerry::guard
