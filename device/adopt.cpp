// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/backend.hpp"
#include "device/foreign_storage.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"

namespace skerry {

storage_ref adopt(device where, const foreign_memory& from) {
  require(where);
  if (const auto take = backend_of(where).memory.adopt) return take(where, from);
  return storage_ref(new foreign_storage(where, from));
}

storage_ref adopt(device where, void* data, std::size_t nbytes, bool read_only, void* owner,
                  void (*release)(void* owner) noexcept, bool pinned) {
  return adopt(where, {.data = data,
                       .nbytes = nbytes,
                       .read_only = read_only,
                       .pinned = pinned,
                       .owner = owner,
                       .release = release});
}

}  // namespace skerry
