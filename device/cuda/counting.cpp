// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/counting.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

#include "device/cuda/runtime.hpp"

namespace skerry::cuda {

namespace {

/// The table in use while nothing is counted.
constinit std::atomic<const Api*> counted_table{nullptr};

constinit std::atomic<unsigned> slowness_us{0};

template <auto Entry>
struct Counted;

template <class... Args, int (*Api::*Entry)(Args...)>
struct Counted<Entry> {
  static constinit inline std::atomic<std::uint64_t> count{0};
  static int call(Args... args) {
    count.fetch_add(1, std::memory_order_relaxed);
    if constexpr (may_wait<Entry>) {
      if (const unsigned nap = slowness_us.load(std::memory_order_relaxed); nap != 0) usleep(nap);
    }
    return (counted_table.load(std::memory_order_relaxed)->*Entry)(args...);
  }
  /// An entry that the table lacks stays null: callers test for null.
  static void put_before(Api& table) noexcept {
    if (table.*Entry != nullptr) table.*Entry = call;
  }
};

constinit thread_local bool ends_the_process = false;

template <auto Entry>
struct Rejected;

template <class... Args, int (*Api::*Entry)(Args...)>
struct Rejected<Entry> {
  static int call(Args...) {
    if (ends_the_process) return runtime_unloading;
    for (;;) pause();
  }
  static void put_before(Api& table) noexcept {
    if (table.*Entry != nullptr) table.*Entry = call;
  }
};

struct entry_of_table {
  const char* name;
  bool may_wait;
  std::atomic<std::uint64_t>* count;
  void (*count_before)(Api& table) noexcept;
  void (*reject_before)(Api& table) noexcept;
};

#define SKERRY_COUNTED(name)                                                                   \
  entry_of_table {                                                                             \
    #name, may_wait<&Api::name>, &Counted<&Api::name>::count, Counted<&Api::name>::put_before, \
        Rejected<&Api::name>::put_before                                                       \
  }

/// All entry points except error_name and error_string.
constexpr std::array entries{
    SKERRY_COUNTED(driver_version),
    SKERRY_COUNTED(runtime_version),
    SKERRY_COUNTED(device_count),
    SKERRY_COUNTED(get_device),
    SKERRY_COUNTED(push_device),
    SKERRY_COUNTED(pop_device),
    SKERRY_COUNTED(get_properties),
    SKERRY_COUNTED(memory_info),
    SKERRY_COUNTED(can_access_peer),
    SKERRY_COUNTED(enable_peer_access),
    SKERRY_COUNTED(pool_allow_reader),
    SKERRY_COUNTED(device_synchronize),
    SKERRY_COUNTED(allocate),
    SKERRY_COUNTED(allocate_managed),
    SKERRY_COUNTED(deallocate),
    SKERRY_COUNTED(allocate_async),
    SKERRY_COUNTED(deallocate_async),
    SKERRY_COUNTED(pool_set_release_threshold),
    SKERRY_COUNTED(pool_trim),
    SKERRY_COUNTED(host_allocate),
    SKERRY_COUNTED(host_deallocate),
    SKERRY_COUNTED(host_register),
    SKERRY_COUNTED(host_unregister),
    SKERRY_COUNTED(get_pointer_attributes),
    SKERRY_COUNTED(copy_async),
    SKERRY_COUNTED(copy_peer_async),
    SKERRY_COUNTED(fill_async),
    SKERRY_COUNTED(launch_host_function),
    SKERRY_COUNTED(launch_host_kernel),
    SKERRY_COUNTED(stream_create),
    SKERRY_COUNTED(stream_destroy),
    SKERRY_COUNTED(stream_synchronize),
    SKERRY_COUNTED(stream_query),
    SKERRY_COUNTED(stream_wait_event),
    SKERRY_COUNTED(event_create),
    SKERRY_COUNTED(event_create_timed),
    SKERRY_COUNTED(event_destroy),
    SKERRY_COUNTED(event_record),
    SKERRY_COUNTED(event_query),
    SKERRY_COUNTED(event_synchronize),
    SKERRY_COUNTED(event_elapsed),
    SKERRY_COUNTED(ipc_export_memory),
    SKERRY_COUNTED(ipc_open_memory),
    SKERRY_COUNTED(ipc_close_memory),
    SKERRY_COUNTED(event_create_shared),
    SKERRY_COUNTED(ipc_export_event),
    SKERRY_COUNTED(ipc_open_event),
    SKERRY_COUNTED(get_last_error),
    SKERRY_COUNTED(stream_is_capturing),
    SKERRY_COUNTED(stream_device),
    SKERRY_COUNTED(stream_begin_capture),
    SKERRY_COUNTED(stream_end_capture),
    SKERRY_COUNTED(stream_capture_retain),
    SKERRY_COUNTED(graph_launch),
    SKERRY_COUNTED(graph_destroy),
};

#undef SKERRY_COUNTED

static_assert(sizeof(Api) == (entries.size() + 2) * sizeof(void (*)()),
              "an entry point of the table is not counted: add it to the list above");

constinit std::mutex counting_mutex;
constinit int depth = 0;
constinit Api counting_table{};
constinit Api rejecting_table{};

}  // namespace

void start_counting() {
  static_cast<void>(look_at({cuda_kind, 0}));
  const std::lock_guard lock(counting_mutex);
  if (depth++ != 0) return;
  const Api* const uncounted_table = detail::table.load();
  // Written once: another thread may still be calling through it.
  if (counted_table.exchange(uncounted_table) == nullptr) {
    counting_table = *uncounted_table;
    for (const entry_of_table& entry : entries) entry.count_before(counting_table);
  }
  detail::table.store(&counting_table);
}

void stop_counting() noexcept {
  const std::lock_guard lock(counting_mutex);
  if (depth == 0) return;
  --depth;
  if (depth == 0) detail::table.store(counted_table.load());
}

void slow_waiting_calls(unsigned microseconds) noexcept { slowness_us.store(microseconds); }

void reject_calls() noexcept {
  ends_the_process = true;
  const std::lock_guard lock(counting_mutex);
  const Api* const now = detail::table.load();
  if (now == nullptr || now == &rejecting_table) return;
  rejecting_table = *now;
  for (const entry_of_table& entry : entries) entry.reject_before(rejecting_table);
  detail::table.store(&rejecting_table);
}

std::vector<CountedCall> counted_calls() {
  std::vector<CountedCall> result;
  result.reserve(entries.size());
  for (const entry_of_table& entry : entries) {
    result.push_back({entry.name, entry.may_wait, entry.count->load()});
  }
  return result;
}

}  // namespace skerry::cuda
