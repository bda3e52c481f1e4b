// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/linkers/real_library.hpp"

#include <dlfcn.h>

#include <atomic>

namespace skerry::emulation::linkers {
namespace {

std::atomic<void*> opened = nullptr;

}  // namespace

void* real_symbol(const char* name) noexcept {
  void* const handle = opened.load();
  return handle == nullptr ? nullptr : dlsym(handle, name);
}

}  // namespace skerry::emulation::linkers

const char* skerry_linker_open(const char* path) noexcept {
  using skerry::emulation::linkers::opened;
  if (opened.load() != nullptr) return nullptr;
  // NVIDIA's library has the soname of this one. A name with a slash is looked up by file, so that
  // it is loaded nevertheless.
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  opened = handle;
  return nullptr;
}
