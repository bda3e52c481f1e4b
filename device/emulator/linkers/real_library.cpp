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
  // Its soname is ours; a path is looked up by file, so this is another library all the same.
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  opened = handle;
  return nullptr;
}
