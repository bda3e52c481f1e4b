// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// NCCL's functions that change a communicator's ranks or state, and those of memory.

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/nccl/entry_points.hpp"
#include "device/emulator/nccl/resizing.hpp"

namespace skerry::emulation::nccl {

namespace {

/// Rejects memory that is not within one allocation.
int check_memory(const char* function, const Communicator* communicator, const void* data,
                 std::size_t nbytes) {
  if (communicator == nullptr)
    return reject(invalid_argument, std::string(function) + ": the communicator is null");
  const auto first = reinterpret_cast<driver::address>(data);
  driver::address begin = 0;
  std::size_t size = 0;
  const CurrentDevice device(communicator->device);
  if (driver::memory_get_range(&begin, &size, first) == 0 && nbytes <= size - (first - begin)) {
    return success;
  }
  return reject(invalid_argument, std::string(function) + ": a buffer of " +
                                      std::to_string(nbytes) +
                                      " bytes is not within memory of a device");
}

}  // namespace

UniqueId new_unique_id() {
  static std::atomic<unsigned> count{0};
  UniqueId id = {};
  (void)std::snprintf(id.text.data(), 28, "skerry-nccl-%x-%x-%x", static_cast<unsigned>(getpid()),
                      count++, std::random_device{}() & 0xfff);
  return id;
}

int current_device() {
  int ordinal = 0;
  driver::initialize(0);
  driver::context_get_device(&ordinal);
  return ordinal;
}

int comm_shrink(Communicator* communicator, const int* excluded, int count, Communicator** part,
                void*, int flags) SKERRY_NCCL(ncclCommShrink);
int comm_shrink(Communicator* communicator, const int* excluded, int count, Communicator** part,
                void*, int flags) {
  return without_exceptions([&] {
    std::vector<int> ranks;
    if (count > 0 && excluded != nullptr) ranks.assign(excluded, excluded + count);
    return shrink(communicator, std::move(ranks), flags != 0, part);
  });
}

int comm_get_unique_id(Communicator* communicator, UniqueId* id) SKERRY_NCCL(ncclCommGetUniqueId);
int comm_get_unique_id(Communicator* communicator, UniqueId* id) {
  *id = new_unique_id();
  return without_exceptions([&] { return offer_id(communicator, text_of(*id)); });
}

int comm_grow(Communicator* communicator, int ranks, const UniqueId* id, int rank,
              Communicator** whole, void*) SKERRY_NCCL(ncclCommGrow);
int comm_grow(Communicator* communicator, int ranks, const UniqueId* id, int rank,
              Communicator** whole, void*) {
  return without_exceptions([&] {
    const std::string name = id != nullptr ? text_of(*id) : "";
    if (communicator == nullptr) return join_grown(ranks, name, rank, current_device(), whole);
    return grow(*communicator, ranks, name, rank, whole);
  });
}

int comm_revoke(Communicator* communicator, int flags) SKERRY_NCCL(ncclCommRevoke);
int comm_revoke(Communicator* communicator, int flags) {
  return without_exceptions([&] { return revoke(communicator, flags); });
}

int comm_suspend(Communicator* communicator, int) SKERRY_NCCL(ncclCommSuspend);
int comm_suspend(Communicator* communicator, int) { return set_suspended(communicator, true); }

int comm_resume(Communicator* communicator) SKERRY_NCCL(ncclCommResume);
int comm_resume(Communicator* communicator) { return set_suspended(communicator, false); }

// Memory. Registration checks the buffer and changes nothing: a rank doesn't wait for the others.

int allocate(void** data, std::size_t nbytes) SKERRY_NCCL(ncclMemAlloc);
int allocate(void** data, std::size_t nbytes) {
  driver::address address = 0;
  const int status = driver::memory_allocate(&address, nbytes);
  *data = reinterpret_cast<void*>(address);
  return status == 0 ? success : cuda_error;
}

int deallocate(void* data) SKERRY_NCCL(ncclMemFree);
int deallocate(void* data) {
  return driver::memory_free(reinterpret_cast<driver::address>(data)) == 0 ? success : cuda_error;
}

int register_memory(Communicator* communicator, void* data, std::size_t nbytes, void** handle)
    SKERRY_NCCL(ncclCommRegister);
int register_memory(Communicator* communicator, void* data, std::size_t nbytes, void** handle) {
  *handle = data;
  return check_memory("ncclCommRegister", communicator, data, nbytes);
}

int deregister_memory(Communicator*, void*) SKERRY_NCCL(ncclCommDeregister);
int deregister_memory(Communicator*, void*) { return success; }

int register_window(Communicator* communicator, void* data, std::size_t nbytes, void** window, int)
    SKERRY_NCCL(ncclCommWindowRegister);
int register_window(Communicator* communicator, void* data, std::size_t nbytes, void** window,
                    int) {
  *window = data;
  return check_memory("ncclCommWindowRegister", communicator, data, nbytes);
}

int deregister_window(Communicator*, void*) SKERRY_NCCL(ncclCommWindowDeregister);
int deregister_window(Communicator*, void*) { return success; }

int get_window_pointer(Communicator*, void* window, void** data) SKERRY_NCCL(ncclWinGetUserPtr);
int get_window_pointer(Communicator*, void* window, void** data) {
  *data = window;
  return success;
}

}  // namespace skerry::emulation::nccl
