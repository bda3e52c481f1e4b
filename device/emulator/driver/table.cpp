// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/driver/table.hpp"

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/unimplemented.hpp"

namespace skerry::emulation::driver {

namespace {

struct Row {
  std::string_view name;
  int version;
  std::string_view symbol;
  void* function;
};

const Row rows[] = {
#define SKERRY_DRIVER(name, version, symbol, function, ...) \
  {#name, version, #symbol, reinterpret_cast<void*>(&(function))},
#include "device/emulator/driver/functions.inc"
#undef SKERRY_DRIVER
};

// CUdriverProcAddressQueryResult
constexpr int is_found = 0;
constexpr int is_no_symbol = 1;
constexpr int is_newer = 2;

}  // namespace

FoundFunction find_function(std::string_view name, int version) noexcept {
  const Row* best = nullptr;
  bool is_known = false;
  for (const Row& row : rows) {
    if (row.symbol == name && row.name != name) return {row.function, true};
    if (row.name != name) continue;
    is_known = true;
    if (row.version <= version && (best == nullptr || row.version > best->version)) best = &row;
  }
  if (best != nullptr) return {best->function, true};
  void* const refusing = find_unimplemented(name);
  return {refusing, is_known || refusing != nullptr};
}

// Succeeds without a function where there is none, as cuda.h documents. CUDA 11's variant, which
// has no status of the search, fails.
int get_proc_address(const char* symbol, void** function, int version, std::uint64_t flags,
                     int* symbol_status) {
  constexpr std::uint64_t known_flags = 3;  // choice of default stream: both are one queue
  if (has_null(symbol, function) || (flags & ~known_flags) != 0) return code::invalid_value;
  const FoundFunction one = find_function(symbol, version);
  *function = one.function;
  if (symbol_status != nullptr) {
    *symbol_status = one.function != nullptr ? is_found : one.is_known ? is_newer : is_no_symbol;
  }
  return code::success;
}

int get_proc_address_v1(const char* symbol, void** function, int version, std::uint64_t flags) {
  const int status = get_proc_address(symbol, function, version, flags, nullptr);
  return status == code::success && *function == nullptr ? code::not_found : status;
}

// Used by NVIDIA's own libraries, undocumented.
int get_export_table(const void** table, const void*) {
  if (table != nullptr) *table = nullptr;
  return code::not_found;
}

}  // namespace skerry::emulation::driver
