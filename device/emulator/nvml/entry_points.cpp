// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// As much of NVML as programs need to count and describe the emulated GPUs. A device's handle is
// its ordinal plus 1. Sensors and limits are not supported, as on some real GPUs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "device/emulator/driver/entry_points.hpp"

#define SKERRY_NVML(symbol) __asm__(#symbol) __attribute__((visibility("default"), used))

namespace skerry::emulation::nvml {

struct Memory {
  unsigned long long total, free, used;
};
struct VersionedMemory {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};

namespace {

enum Result : int {
  success = 0,
  invalid_argument = 2,
  not_supported = 3,
  not_found = 6,
  insufficient_size = 7,
  driver_not_loaded = 9,
};

int ordinal_of(const void* device) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(device)) - 1;
}

int device_count() {
  int count = 0;
  return driver::initialize(0) == 0 && driver::device_get_count(&count) == 0 ? count : 0;
}

bool is_valid(const void* device) {
  const auto handle = reinterpret_cast<std::uintptr_t>(device);
  return handle != 0 && handle <= static_cast<std::uintptr_t>(device_count());
}

int write_text(const std::string& text, char* buffer, unsigned capacity) {
  if (text.size() >= capacity) return insufficient_size;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return success;
}

std::string uuid_of(int ordinal) {
  std::array<unsigned char, 16> bytes{};
  if (driver::device_get_uuid(bytes.data(), ordinal) != 0) return {};
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool begins_group = i == 0 || (i >= 4 && i <= 10 && i % 2 == 0);
    std::array<char, 4> digits;
    (void)std::snprintf(digits.data(), digits.size(), "%02x", bytes[i]);
    text += (begins_group ? "-" : "") + std::string(digits.data());
  }
  return text;
}

}  // namespace

int initialize() SKERRY_NVML(nvmlInit_v2);
int initialize() { return driver::initialize(0) == 0 ? success : driver_not_loaded; }
int initialize_with_flags(unsigned flags) SKERRY_NVML(nvmlInitWithFlags);
int initialize_with_flags(unsigned) { return initialize(); }
int shut_down() SKERRY_NVML(nvmlShutdown);
int shut_down() { return success; }

const char* error_string(int code) SKERRY_NVML(nvmlErrorString);
const char* error_string(int code) {
  switch (code) {
    case success:
      return "Success";
    case invalid_argument:
      return "Invalid Argument";
    case not_supported:
      return "Not Supported";
    case not_found:
      return "Not Found";
    case insufficient_size:
      return "Insufficient Size";
    case driver_not_loaded:
      return "Driver Not Loaded";
    default:
      return "Unknown Error";
  }
}

int system_driver_version(char* text, unsigned capacity) SKERRY_NVML(nvmlSystemGetDriverVersion);
int system_driver_version(char* text, unsigned capacity) {
  return write_text("580.0 (emulated)", text, capacity);
}
int system_cuda_version(int* version) SKERRY_NVML(nvmlSystemGetCudaDriverVersion_v2);
int system_cuda_version(int* version) {
  return driver::get_version(version) == 0 ? success : driver_not_loaded;
}

int get_count(unsigned* count) SKERRY_NVML(nvmlDeviceGetCount_v2);
int get_count(unsigned* count) {
  *count = static_cast<unsigned>(device_count());
  return success;
}

int handle_by_index(unsigned index, void** device) SKERRY_NVML(nvmlDeviceGetHandleByIndex_v2);
int handle_by_index(unsigned index, void** device) {
  if (index >= static_cast<unsigned>(device_count())) return invalid_argument;
  *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(index) + 1);
  return success;
}

int handle_by_uuid(const char* uuid, void** device) SKERRY_NVML(nvmlDeviceGetHandleByUUID);
int handle_by_uuid(const char* uuid, void** device) {
  const std::string name = std::strncmp(uuid, "GPU-", 4) == 0 ? uuid : std::string("GPU-") + uuid;
  for (int ordinal = 0; ordinal < device_count(); ++ordinal) {
    if (uuid_of(ordinal) == name) return handle_by_index(static_cast<unsigned>(ordinal), device);
  }
  return not_found;
}

int get_index(const void* device, unsigned* index) SKERRY_NVML(nvmlDeviceGetIndex);
int get_index(const void* device, unsigned* index) {
  if (!is_valid(device)) return invalid_argument;
  *index = static_cast<unsigned>(ordinal_of(device));
  return success;
}

int get_uuid(const void* device, char* text, unsigned capacity) SKERRY_NVML(nvmlDeviceGetUUID);
int get_uuid(const void* device, char* text, unsigned capacity) {
  if (!is_valid(device)) return invalid_argument;
  return write_text(uuid_of(ordinal_of(device)), text, capacity);
}

int get_name(const void* device, char* text, unsigned capacity) SKERRY_NVML(nvmlDeviceGetName);
int get_name(const void* device, char* text, unsigned capacity) {
  std::array<char, 96> name{};
  if (!is_valid(device) || driver::device_get_name(name.data(), static_cast<int>(name.size()),
                                                   ordinal_of(device)) != 0) {
    return invalid_argument;
  }
  return write_text(name.data(), text, capacity);
}

int get_capability(const void* device, int* major, int* minor)
    SKERRY_NVML(nvmlDeviceGetCudaComputeCapability);
int get_capability(const void* device, int* major, int* minor) {
  if (!is_valid(device)) return invalid_argument;
  return driver::device_capability(major, minor, ordinal_of(device)) == 0 ? success
                                                                          : invalid_argument;
}

int get_memory(const void* device, Memory* memory) SKERRY_NVML(nvmlDeviceGetMemoryInfo);
int get_memory(const void* device, Memory* memory) {
  std::size_t total = 0;
  if (!is_valid(device) || driver::device_total_memory(&total, ordinal_of(device)) != 0)
    return invalid_argument;
  *memory = {total, total, 0};
  return success;
}

int get_versioned_memory(const void* device, VersionedMemory* memory)
    SKERRY_NVML(nvmlDeviceGetMemoryInfo_v2);
int get_versioned_memory(const void* device, VersionedMemory* memory) {
  Memory sizes{};
  if (const int code = get_memory(device, &sizes); code != success) return code;
  *memory = {memory->version, sizes.total, 0, sizes.free, sizes.used};
  return success;
}

int get_utilization(const void* device, Utilization* rates)
    SKERRY_NVML(nvmlDeviceGetUtilizationRates);
int get_utilization(const void* device, Utilization* rates) {
  if (!is_valid(device)) return invalid_argument;
  *rates = {};
  return success;
}

/// Multi-instance GPUs: none.
int get_mig_mode(const void* device, unsigned* current, unsigned* pending)
    SKERRY_NVML(nvmlDeviceGetMigMode);
int get_mig_mode(const void*, unsigned*, unsigned*) { return not_supported; }

}  // namespace skerry::emulation::nvml
