// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// NCCL's functions by their names. A communicator is an ncclComm_t; enumerations are ints.

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/nccl/entry_points.hpp"
#include "device/emulator/nccl/groups.hpp"
#include "device/emulator/nccl/links.hpp"
#include "device/emulator/nccl/membership.hpp"
#include "device/emulator/nccl/reduction.hpp"
#include "device/emulator/nccl/settings.hpp"
#include "device/emulator/nccl/submission.hpp"

namespace skerry::emulation::nccl {

namespace {

constexpr int release = 23203;
constexpr int in_progress = 7;

int submit_call(const Operation& operation) {
  return without_exceptions([&] { return submit(operation); });
}

int join_as(Communicator** communicator, int ranks, const UniqueId& id, int rank) {
  return without_exceptions(
      [&] { return join(communicator, ranks, text_of(id), rank, current_device()); });
}

/// The result of a query without a communicator. An open group goes on.
int reject_null(const char* function) {
  last_error() = std::string(function) + ": the communicator is null";
  return invalid_argument;
}

}  // namespace

// nccl4py searches the file for this text.
extern const char banner[] __asm__("skerry_nccl_banner") __attribute__((visibility("default")));
const char banner[] = "NCCL version 2.32.3+cuda13.0";

// Versions and errors

int get_version(int* version) SKERRY_NCCL(ncclGetVersion);
int get_version(int* version) {
  *version = release;
  return success;
}

const char* get_error_string(int code) SKERRY_NCCL(ncclGetErrorString);
const char* get_error_string(int code) {
  thread_local std::string text;
  constexpr std::array<const char*, 9> texts = {
      "no error",
      "unhandled cuda error",
      "unhandled system error",
      "internal error",
      "invalid argument",
      "invalid usage",
      "remote process exited or there was a network error",
      "NCCL operation in progress",
      "timeout"};
  const bool is_known = code >= 0 && code < static_cast<int>(texts.size());
  text = is_known ? texts[static_cast<std::size_t>(code)] : "unknown result code";
  // Exceptions of nccl4py have no other text.
  if (code > 0 && code != in_progress && !last_error().empty()) text += ": " + last_error();
  return text.c_str();
}

const char* get_last_error(const Communicator* communicator) SKERRY_NCCL(ncclGetLastError);
const char* get_last_error(const Communicator* communicator) {
  if (communicator != nullptr && communicator->board->error != success)
    last_error() = communicator->board->error_text.data();
  return last_error().c_str();
}

int get_async_error(const Communicator* communicator, int* code) SKERRY_NCCL(ncclCommGetAsyncError);
int get_async_error(const Communicator* communicator, int* code) {
  if (communicator == nullptr) return reject_null("ncclCommGetAsyncError");
  // A revoked communicator is quiescent: its failure is that of its earlier calls.
  *code = communicator->is_revoked ? success : failure_code_of(*communicator);
  return success;
}

// Communicators

int get_unique_id(UniqueId* id) SKERRY_NCCL(ncclGetUniqueId);
int get_unique_id(UniqueId* id) {
  *id = new_unique_id();
  return success;
}

int init_rank(Communicator** communicator, int ranks, UniqueId id, int rank)
    SKERRY_NCCL(ncclCommInitRank);
int init_rank(Communicator** communicator, int ranks, UniqueId id, int rank) {
  return join_as(communicator, ranks, id, rank);
}

int init_rank_with_config(Communicator** communicator, int ranks, UniqueId id, int rank, void*)
    SKERRY_NCCL(ncclCommInitRankConfig);
int init_rank_with_config(Communicator** communicator, int ranks, UniqueId id, int rank, void*) {
  return join_as(communicator, ranks, id, rank);
}

int init_rank_with_ids(Communicator** communicator, int ranks, int rank, int, const UniqueId* ids,
                       void*) SKERRY_NCCL(ncclCommInitRankScalable);
int init_rank_with_ids(Communicator** communicator, int ranks, int rank, int, const UniqueId* ids,
                       void*) {
  return join_as(communicator, ranks, *ids, rank);
}

int group_start() SKERRY_NCCL(ncclGroupStart);
int group_start() {
  start_group();
  return success;
}

int group_end() SKERRY_NCCL(ncclGroupEnd);
int group_end() { return without_exceptions(end_group); }

int init_all(Communicator** communicators, int count, const int* devices)
    SKERRY_NCCL(ncclCommInitAll);
int init_all(Communicator** communicators, int count, const int* devices) {
  int available = 0;
  driver::initialize(0);
  driver::device_get_count(&available);
  UniqueId id;
  get_unique_id(&id);
  start_group();
  for (int rank = 0; rank < count; ++rank) {
    const int device = devices != nullptr ? devices[rank] : rank;
    if (device < 0 || device >= available) {
      reject(invalid_argument, "ncclCommInitAll: there is no device " + std::to_string(device));
    } else {
      without_exceptions(
          [&] { return join(communicators + rank, count, text_of(id), rank, device); });
    }
  }
  return without_exceptions(end_group);
}

int comm_split(Communicator* communicator, int color, int key, Communicator** part, void*)
    SKERRY_NCCL(ncclCommSplit);
int comm_split(Communicator* communicator, int color, int key, Communicator** part, void*) {
  return without_exceptions([&] { return split(communicator, color, key, part); });
}

int comm_finalize(Communicator* communicator) SKERRY_NCCL(ncclCommFinalize);
int comm_finalize(Communicator* communicator) { return finish_tasks(communicator); }

int comm_destroy(Communicator* communicator) SKERRY_NCCL(ncclCommDestroy);
int comm_destroy(Communicator* communicator) { return destroy(communicator, false); }

int comm_abort(Communicator* communicator) SKERRY_NCCL(ncclCommAbort);
int comm_abort(Communicator* communicator) { return destroy(communicator, true); }

int comm_count(const Communicator* communicator, int* count) SKERRY_NCCL(ncclCommCount);
int comm_count(const Communicator* communicator, int* count) {
  if (communicator == nullptr) return reject_null("ncclCommCount");
  *count = communicator->ranks;
  return success;
}

int comm_device(const Communicator* communicator, int* device) SKERRY_NCCL(ncclCommCuDevice);
int comm_device(const Communicator* communicator, int* device) {
  if (communicator == nullptr) return reject_null("ncclCommCuDevice");
  *device = communicator->device;
  return success;
}

int comm_rank(const Communicator* communicator, int* rank) SKERRY_NCCL(ncclCommUserRank);
int comm_rank(const Communicator* communicator, int* rank) {
  if (communicator == nullptr) return reject_null("ncclCommUserRank");
  *rank = communicator->rank;
  return success;
}

int comm_properties(const Communicator* communicator, void* properties)
    SKERRY_NCCL(ncclCommQueryProperties);
int comm_properties(const Communicator* communicator, void* properties) {
  if (communicator == nullptr) return reject_null("ncclCommQueryProperties");
  // These follow the size, a mark and the version.
  constexpr std::size_t offset = 16;
  const std::array<int, 4> values = {communicator->rank, communicator->ranks, communicator->device,
                                     communicator->device};
  std::memcpy(static_cast<std::byte*>(properties) + offset, values.data(), sizeof values);
  return success;
}

// Reductions

int create_premultiplied_sum(int* reduction, void* scalar, int type, int residence,
                             Communicator* communicator) SKERRY_NCCL(ncclRedOpCreatePreMulSum);
int create_premultiplied_sum(int* reduction, void* scalar, int type, int residence,
                             Communicator* communicator) {
  if (communicator == nullptr) return reject_null("ncclRedOpCreatePreMulSum");
  if (!can_reduce(type))
    return reject(invalid_argument, "ncclRedOpCreatePreMulSum: the data type can't be reduced");
  auto custom = std::make_unique<CustomReduction>();
  custom->type = type;
  const bool is_on_device = residence == 0;
  if (is_on_device) {
    custom->device_factor = scalar;
  } else {
    std::memcpy(custom->factor.data(), scalar, size_of(type));
  }
  communicator->reductions.push_back(std::move(custom));
  *reduction = premultiplied_sum + static_cast<int>(communicator->reductions.size()) - 1;
  return success;
}

int destroy_reduction(int, Communicator*) SKERRY_NCCL(ncclRedOpDestroy);
int destroy_reduction(int, Communicator*) { return success; }

// Collectives: the name, the additional parameters, and the members `reduction` and `peer`. Those
// that end in Config have a configuration of the call, which changes nothing here.

#define SKERRY_UNPACK(...) __VA_ARGS__
#define SKERRY_COLLECTIVE(symbol, name, parameters, reduction, root)                        \
  int name##_call(const void* source, void* destination, std::size_t count, int type,       \
                  SKERRY_UNPACK parameters Communicator* communicator, void* stream)        \
      SKERRY_NCCL(symbol);                                                                  \
  int name##_call(const void* source, void* destination, std::size_t count, int type,       \
                  SKERRY_UNPACK parameters Communicator* communicator, void* stream) {      \
    return submit_call({communicator,                                                       \
                        stream,                                                             \
                        source,                                                             \
                        destination,                                                        \
                        {Function::name, type, reduction, root, count}});                   \
  }                                                                                         \
  int name##_configured(const void* source, void* destination, std::size_t count, int type, \
                        SKERRY_UNPACK parameters Communicator* communicator, void* stream,  \
                        const void*) SKERRY_NCCL(symbol##Config);                           \
  int name##_configured(const void* source, void* destination, std::size_t count, int type, \
                        SKERRY_UNPACK parameters Communicator* communicator, void* stream,  \
                        const void*) {                                                      \
    return submit_call({communicator,                                                       \
                        stream,                                                             \
                        source,                                                             \
                        destination,                                                        \
                        {Function::name, type, reduction, root, count}});                   \
  }
SKERRY_COLLECTIVE(ncclAllReduce, all_reduce, (int operation, ), operation, -1)
SKERRY_COLLECTIVE(ncclReduceScatter, reduce_scatter, (int operation, ), operation, -1)
SKERRY_COLLECTIVE(ncclReduce, reduce, (int operation, int root, ), operation, root)
SKERRY_COLLECTIVE(ncclBroadcast, broadcast, (int root, ), -1, root)
SKERRY_COLLECTIVE(ncclGather, gather, (int root, ), -1, root)
SKERRY_COLLECTIVE(ncclScatter, scatter, (int root, ), -1, root)
SKERRY_COLLECTIVE(ncclAllGather, all_gather, (), -1, -1)
SKERRY_COLLECTIVE(ncclAlltoAll, all_to_all, (), -1, -1)

int broadcast_in_place(void* data, std::size_t count, int type, int root,
                       Communicator* communicator, void* stream) SKERRY_NCCL(ncclBcast);
int broadcast_in_place(void* data, std::size_t count, int type, int root,
                       Communicator* communicator, void* stream) {
  return broadcast_call(data, data, count, type, root, communicator, stream);
}

int send_call(const void* source, std::size_t count, int type, int peer, Communicator* communicator,
              void* stream) SKERRY_NCCL(ncclSend);
int send_call(const void* source, std::size_t count, int type, int peer, Communicator* communicator,
              void* stream) {
  return submit_call(
      {communicator, stream, source, nullptr, {Function::send, type, -1, peer, count}});
}

int receive_call(void* destination, std::size_t count, int type, int peer,
                 Communicator* communicator, void* stream) SKERRY_NCCL(ncclRecv);
int receive_call(void* destination, std::size_t count, int type, int peer,
                 Communicator* communicator, void* stream) {
  return submit_call(
      {communicator, stream, nullptr, destination, {Function::receive, type, -1, peer, count}});
}

// Functions of the emulated GPU's Python package

/// Sets a variable SKERRY_NCCL_* for later calls. Returns an error message, valid until this
/// thread's next call, or null.
const char* set_variable(const char* name, const char* value) SKERRY_NCCL(skerry_nccl_set);
const char* set_variable(const char* name, const char* value) {
  thread_local std::string error_message;
  error_message = change_setting(name, value);
  return error_message.empty() ? nullptr : error_message.c_str();
}

std::uint64_t get_link_nbytes(int source_device, int device) SKERRY_NCCL(skerry_nccl_link_nbytes);
std::uint64_t get_link_nbytes(int source_device, int device) {
  return link_nbytes(source_device, device);
}

}  // namespace skerry::emulation::nccl
