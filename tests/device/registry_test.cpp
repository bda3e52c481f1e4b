// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/registry.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "core/errors.hpp"
#include "device/cuda/architectures.hpp"
#include "device/cuda/counting.hpp"
#include "device/cuda/runtime.hpp"
#include "device/environment.hpp"
#include "device/rehearsal/rehearse.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

/// Seconds after which a signal ends a process that hangs, which fails the test.
constexpr unsigned patience = 240;

/// Tests that need a process in which CUDA was not used: "threadsafe" death tests restart the
/// program and run only the statement.
class NewProcess : public testing::Test {
 protected:
  // Runs in the parent and in the restarted child. The parent needs the alarm too: EXPECT_EXIT
  // waits for the child without a timeout.
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    alarm(patience);
  }
  void TearDown() override { alarm(0); }
};

/// Ends the process with status 1, printing the line, if the condition is false.
#define SKERRY_REQUIRE_OR_EXIT(condition)                          \
  do {                                                             \
    if (!(condition)) {                                            \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      std::_Exit(1);                                               \
    }                                                              \
  } while (false)

template <class Error, class Body>
bool throws(Body body) {
  try {
    body();
  } catch (const Error&) {
    return true;
  } catch (...) {
  }
  return false;
}

template <class Body>
std::optional<UnavailableReason> reason_of(Body body) {
  try {
    body();
  } catch (const DeviceUnavailableError& error) {
    return error.reason();
  } catch (...) {
  }
  return std::nullopt;
}

using registry_test = Rehearsed;

TEST_F(registry_test, rehearsal_devices_are_listed_and_described_as_such) {
  EXPECT_TRUE(is_rehearsing());
  EXPECT_TRUE(cuda_was_used());
  EXPECT_FALSE(why_no_cuda().has_value());
  const auto all = devices(cuda_kind);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(device_count(cuda_kind)));
  EXPECT_EQ(all[1], cuda1);
  const DeviceInfo info = describe(cuda1);
  EXPECT_TRUE(info.rehearsal);
  EXPECT_EQ(info.name, "rehearsal device");
  EXPECT_EQ(info.physical_index, 1);
  EXPECT_GT(info.total_bytes, 0u);
  EXPECT_EQ(info.peers.size(), all.size() - 1);
  EXPECT_EQ(cuda_runtime_version(), 13000);
}

TEST_F(registry_test, devices_that_do_not_exist_are_rejected) {
  const auto out_of_range = std::optional(UnavailableReason::out_of_range);
  for (const Device device : {Device{cuda_kind, 64}, Device{cuda_kind, -1},
                              Device{DeviceKind::cpu, 64}, Device{DeviceKind::cpu, -1}}) {
    EXPECT_EQ(reason_of([&] { require(device); }), out_of_range) << to_string(device);
    EXPECT_EQ(reason_of([&] { static_cast<void>(allocate(device, 1)); }), out_of_range);
    EXPECT_EQ(reason_of([&] { static_cast<void>(statistics(device)); }), out_of_range);
  }
  EXPECT_NO_THROW(require(cpu0));
}

TEST_F(registry_test, rehearsing_after_the_first_use_is_rejected) {
  EXPECT_THROW(rehearse(2), ValueError);
  EXPECT_THROW(rehearse(0), ValueError);
  EXPECT_THROW(rehearse(65), ValueError);
}

TEST_F(registry_test, a_forked_child_gets_fork_errors_and_frees_without_errors) {
  StorageRef block = allocate(cuda0, 100);
  const StorageRef host = allocate(cpu0, 100);
  const std::uint64_t calls = rehearsal::calls();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(patience);
    const auto forked = std::optional(UnavailableReason::forked);
    SKERRY_REQUIRE_OR_EXIT(reason_of([] { require(cuda0); }) == forked);
    SKERRY_REQUIRE_OR_EXIT(reason_of([] { static_cast<void>(allocate(cuda0, 8)); }) == forked);
    SKERRY_REQUIRE_OR_EXIT(reason_of([] { synchronize(cuda0); }) == forked);
    SKERRY_REQUIRE_OR_EXIT(reason_of([&] { static_cast<void>(read_int(block)); }) == forked);
    SKERRY_REQUIRE_OR_EXIT(reason_of([] { static_cast<void>(statistics(cuda0)); }) == forked);
    SKERRY_REQUIRE_OR_EXIT(reason_of([] { static_cast<void>(Stream::create(cuda0)); }) == forked);
    block = {};
    std::memset(host->data(), 1, 100);
    SKERRY_REQUIRE_OR_EXIT(rehearsal::calls() == calls);
    std::_Exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_NO_THROW(synchronize(cuda0)) << "the parent is unaffected";
}

TEST_F(NewProcess, no_call_is_made_before_the_first_use) {
  EXPECT_EXIT(
      {
        rehearse(2);
        static_cast<void>(devices(DeviceKind::cpu));
        static_cast<void>(allocate(cpu0, 100));
        SKERRY_REQUIRE_OR_EXIT(is_rehearsing());
        SKERRY_REQUIRE_OR_EXIT(!cuda_was_used());
        SKERRY_REQUIRE_OR_EXIT(rehearsal::calls() == 0);
        SKERRY_REQUIRE_OR_EXIT(device_count(cuda_kind) == 2);
        SKERRY_REQUIRE_OR_EXIT(cuda_was_used());
        SKERRY_REQUIRE_OR_EXIT(rehearsal::calls() > 0);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

/// Returns the error text if the emulated GPU's libraries are expected in `folder`.
std::string error_of_emulator(const char* folder) {
  setenv("SKERRY_EMULATOR", folder, 1);
  try {
    rehearse(2, RehearsedKernels::users);
  } catch (const DeviceUnavailableError& error) {
    return error.what();
  }
  return {};
}

TEST_F(NewProcess, without_an_emulated_gpu_the_error_says_how_to_install_it_and_rehearsal_works) {
  EXPECT_EXIT(
      {
        const std::string not_said = error_of_emulator("");
        SKERRY_REQUIRE_OR_EXIT(not_said.find("is not installed; pip install") != not_said.npos);
        const std::string missing = error_of_emulator("/nonexistent");
        SKERRY_REQUIRE_OR_EXIT(missing.find("/nonexistent/libskerry_emulator.so") != missing.npos);
        SKERRY_REQUIRE_OR_EXIT(missing.find("make emulator") != missing.npos);
        SKERRY_REQUIRE_OR_EXIT(!is_rehearsing());
        rehearse(2);
        SKERRY_REQUIRE_OR_EXIT(device_count(cuda_kind) == 2);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, an_emulated_gpu_of_another_version_is_rejected_naming_both_versions) {
  EXPECT_EXIT(
      {
        const std::string message = error_of_emulator(SKERRY_OTHER_EMULATOR);
        const int version = SKERRY_CUDA_API_VERSION;
        const std::string release =
            "skerry-emulator 9.8.7, of interface " + std::to_string(version + 1);
        SKERRY_REQUIRE_OR_EXIT(message.find(release) != message.npos);
        SKERRY_REQUIRE_OR_EXIT(message.find("needs interface " + std::to_string(version) + ";") !=
                               message.npos);
        SKERRY_REQUIRE_OR_EXIT(!is_rehearsing());
        rehearse(2);
        SKERRY_REQUIRE_OR_EXIT(device_count(cuda_kind) == 2);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, a_fork_before_the_first_use_works) {
  EXPECT_EXIT(
      {
        rehearse(2);
        const pid_t child = fork();
        if (child == 0) {
          alarm(patience);
          SKERRY_REQUIRE_OR_EXIT(!throws<std::exception>([] {
            const StorageRef block = allocate(cuda0, sizeof(int));
            store(block, 4);
            SKERRY_REQUIRE_OR_EXIT(read_int(block) == 4);
          }));
          std::_Exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        std::_Exit(status == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, no_call_follows_shut_down) {
  EXPECT_EXIT(
      {
        rehearse(2);
        StorageRef block = allocate(cuda0, 100);
        StorageRef pinned = allocate_pinned(cpu0, 100);
        Event point(cuda0);
        Stream other = Stream::create(cuda0);
        store(block, 1);
        rehearsal::set_delay(1000);
        for (int i = 0; i < 1000; ++i) store(block, 1);
        shut_down();
        block = {};
        pinned = {};
        point = Event(cpu0);
        other = Stream(cpu0);
        SKERRY_REQUIRE_OR_EXIT(throws<DeviceUnavailableError>([] { require(cuda0); }));
        SKERRY_REQUIRE_OR_EXIT(throws<DeviceUnavailableError>([] { synchronize(cuda0); }));
        SKERRY_REQUIRE_OR_EXIT(device_count(cuda_kind) == 2);
        SKERRY_REQUIRE_OR_EXIT(rehearsal::calls_after_finish() == 0);
        SKERRY_REQUIRE_OR_EXIT(
            !throws<std::exception>([] { static_cast<void>(allocate(cpu0, 100)); }));
        std::exit(0);  // runs the destructors of globals
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, threads_in_calls_do_not_block_the_exit_of_the_process) {
  EXPECT_EXIT(
      {
        rehearse(2);
        rehearsal::set_delay(100);
        std::atomic<int> begun{0};
        std::atomic<bool> has_returned{false};
        for (int i = 0; i < 4; ++i) {
          std::thread([&begun, &has_returned, i] {
            try {
              for (;;) {
                const StorageRef block = allocate(i % 2 == 0 ? cuda0 : cuda1, 100);
                store(block, i);
                if (read_int(block) != i) has_returned = true;
                begun.fetch_or(1 << i);
              }
            } catch (...) {
              // shut_down() came first: the registry throws without a CUDA call.
            }
          }).detach();
        }
        while (begun != 15) std::this_thread::yield();
        shut_down();
        shut_down();
        SKERRY_REQUIRE_OR_EXIT(!has_returned);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, rejected_calls_return_only_on_the_thread_that_ends_the_process) {
  EXPECT_EXIT(
      {
        rehearse(1);
        synchronize(cuda0);
        cuda::start_counting();
        std::atomic<int> calls{0};
        std::thread([&calls] {
          for (;;) {
            int ordinal = 0;
            static_cast<void>(cuda::calls().get_device(&ordinal));
            ++calls;
          }
        }).detach();
        while (calls == 0) std::this_thread::yield();
        cuda::reject_calls();
        int ordinal = 0;
        SKERRY_REQUIRE_OR_EXIT(cuda::calls().get_device(&ordinal) == cuda::runtime_unloading);
        const int returned_calls = calls;  // one more call may have been made before
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        SKERRY_REQUIRE_OR_EXIT(calls <= returned_calls + 1);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, the_environment_creates_rehearsal_devices) {
  EXPECT_EXIT(
      {
        setenv("SKERRY_REHEARSE", "3", 1);
        setenv("SKERRY_REHEARSE_MEMORY", "256MiB", 1);
        setenv("SKERRY_REHEARSE_PEERS", "0-1", 1);
        SKERRY_REQUIRE_OR_EXIT(is_rehearsing());
        SKERRY_REQUIRE_OR_EXIT(device_count(cuda_kind) == 3);
        SKERRY_REQUIRE_OR_EXIT(describe(cuda0).total_bytes == std::size_t{256} << 20);
        SKERRY_REQUIRE_OR_EXIT(describe(cuda0).peers == std::vector<int>{1});
        SKERRY_REQUIRE_OR_EXIT(describe({cuda_kind, 2}).peers.empty());
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, devices_without_peer_access_copy_through_the_host) {
  EXPECT_EXIT(
      {
        setenv("SKERRY_REHEARSE", "3", 1);
        setenv("SKERRY_REHEARSE_PEERS", "0-1", 1);
        const StorageRef a = allocate(cuda0, sizeof(int));
        const StorageRef b = allocate(cuda1, sizeof(int));
        const StorageRef c = allocate({cuda_kind, 2}, sizeof(int));
        store(a, 11);
        copy_bytes(c, 0, a, 0, sizeof(int));
        SKERRY_REQUIRE_OR_EXIT(read_int(c) == 11);
        SKERRY_REQUIRE_OR_EXIT(rehearsal::staged_copies() == 1);
        SKERRY_REQUIRE_OR_EXIT(rehearsal::direct_copies() == 0);
        copy_bytes(b, 0, a, 0, sizeof(int));
        SKERRY_REQUIRE_OR_EXIT(read_int(b) == 11);
        SKERRY_REQUIRE_OR_EXIT(rehearsal::direct_copies() == 1);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, physical_devices_are_split_into_logical_ones) {
  EXPECT_EXIT(
      {
        setenv("SKERRY_REHEARSE", "2", 1);
        setenv("SKERRY_CUDA_LOGICAL", "2", 1);
        SKERRY_REQUIRE_OR_EXIT(device_count(cuda_kind) == 4);
        SKERRY_REQUIRE_OR_EXIT(describe({cuda_kind, 3}).physical_index == 1);
        const StorageRef a = allocate(cuda0, sizeof(int));
        const StorageRef b = allocate(cuda1, sizeof(int));
        SKERRY_REQUIRE_OR_EXIT(statistics(cuda0).live_blocks == 1);
        store(a, 5);
        copy_bytes(b, 0, a, 0, sizeof(int));
        SKERRY_REQUIRE_OR_EXIT(read_int(b) == 5);
        // A fatal error loses all logical devices of the GPU, and no other device.
        rehearsal::fail_entry(&cuda::Api::stream_synchronize, 1, 700, true);
        SKERRY_REQUIRE_OR_EXIT(throws<DeviceError>([] { current_stream(cuda0).synchronize(); }));
        SKERRY_REQUIRE_OR_EXIT(throws<DeviceError>([] { require(cuda1); }));
        SKERRY_REQUIRE_OR_EXIT(!throws<DeviceError>([] { synchronize({cuda_kind, 2}); }));
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, devices_without_pools_work_with_plain_allocation) {
  EXPECT_EXIT(
      {
        setenv("SKERRY_REHEARSE", "1", 1);
        setenv("SKERRY_REHEARSE_POOLS", "0", 1);
        {
          const StorageRef a = allocate(cuda0, sizeof(int));
          store(a, 5);
          SKERRY_REQUIRE_OR_EXIT(read_int(a) == 5);
        }
        trim(cuda0);
        SKERRY_REQUIRE_OR_EXIT(rehearsal::live_blocks(0) == 0);
        SKERRY_REQUIRE_OR_EXIT(rehearsal::calls(&cuda::Api::allocate_async) == 0);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, failed_initialization_leaves_no_devices_and_a_reason) {
  for (const int code : {cuda::stub_library, cuda::insufficient_driver, cuda::no_device,
                         cuda::devices_unavailable, cuda::initialization_error}) {
    EXPECT_EXIT(
        {
          rehearse(2);
          static_cast<void>(rehearsal::calls_table());
          rehearsal::fail_entry(&cuda::Api::device_count, 1, code);
          SKERRY_REQUIRE_OR_EXIT(device_count(cuda_kind) == 0);
          SKERRY_REQUIRE_OR_EXIT(devices(cuda_kind).empty());
          SKERRY_REQUIRE_OR_EXIT(why_no_cuda().has_value());
          const auto reason = reason_of([] { require(cuda0); });
          SKERRY_REQUIRE_OR_EXIT(reason == why_no_cuda()->reason);
          const UnavailableReason expected =
              code == cuda::stub_library          ? UnavailableReason::stub_library
              : code == cuda::insufficient_driver ? UnavailableReason::driver_too_old
              : code == cuda::devices_unavailable ? UnavailableReason::busy
                                                  : UnavailableReason::no_device;
          SKERRY_REQUIRE_OR_EXIT(reason == expected);
          SKERRY_REQUIRE_OR_EXIT(!throws<std::exception>([] { require(cpu0); }));
          std::_Exit(0);
        },
        testing::ExitedWithCode(0), "");
  }
}

TEST_F(NewProcess, a_machine_without_a_driver_or_gpu_says_so) {
  EXPECT_EXIT(
      {
        unsetenv("SKERRY_REHEARSE");
        // On a machine with a driver, the reason is the missing module.
        setenv("SKERRY_CUDA_MODULE", "/nonexistent/skerry_cuda.so", 1);
        SKERRY_REQUIRE_OR_EXIT(device_count(cuda_kind) == 0);
        const auto failure = why_no_cuda();
        SKERRY_REQUIRE_OR_EXIT(failure.has_value());
        SKERRY_REQUIRE_OR_EXIT(failure->reason == UnavailableReason::no_driver ||
                               failure->reason == UnavailableReason::no_cuda_module);
        SKERRY_REQUIRE_OR_EXIT(failure->text.find("CPU arrays work") != std::string::npos);
        SKERRY_REQUIRE_OR_EXIT(reason_of([] { require(cuda0); }) == failure->reason);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NewProcess, logical_cpu_devices_come_from_the_environment) {
  EXPECT_EXIT(
      {
        setenv("SKERRY_CPU_DEVICES", "3", 1);
        SKERRY_REQUIRE_OR_EXIT(device_count(DeviceKind::cpu) == 3);
        SKERRY_REQUIRE_OR_EXIT(devices(DeviceKind::cpu).size() == 3);
        SKERRY_REQUIRE_OR_EXIT(!throws<std::exception>([] { require({DeviceKind::cpu, 2}); }));
        SKERRY_REQUIRE_OR_EXIT(!cuda_was_used());
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        setenv("SKERRY_CPU_DEVICES", "many", 1);
        SKERRY_REQUIRE_OR_EXIT(device_count(DeviceKind::cpu) == 1);
        SKERRY_REQUIRE_OR_EXIT(!throws<std::exception>([] { require(cpu0); }));
        SKERRY_REQUIRE_OR_EXIT(devices(DeviceKind::cpu).size() == 1);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(architectures_test, kernels_run_on_later_minor_versions_and_portable_code_on_all_later) {
  EXPECT_TRUE(cuda::compiled_for("", "", 90));
  EXPECT_TRUE(cuda::compiled_for("90", "900", 90));
  EXPECT_TRUE(cuda::compiled_for("80-real;90-real", "800,900", 90));
  EXPECT_TRUE(cuda::compiled_for("80-real", "800", 86));
  EXPECT_FALSE(cuda::compiled_for("86-real", "860", 80));
  EXPECT_FALSE(cuda::compiled_for("80-real", "800", 90));
  EXPECT_TRUE(cuda::compiled_for("80-virtual", "800", 90));
  EXPECT_TRUE(cuda::compiled_for("80", "800", 120));
  EXPECT_FALSE(cuda::compiled_for("90a", "900", 100));
  EXPECT_TRUE(cuda::compiled_for("90a-real", "900", 90));
}

TEST(architectures_test, lists_of_several_architectures_are_parsed) {
  const char* release = "80-real,90-real,100-real,120";
  const char* by_nvcc = "800,900,1000,1200";
  for (const int gpu : {80, 86, 89, 90, 100, 103, 120, 121, 130}) {
    EXPECT_TRUE(cuda::compiled_for(release, by_nvcc, gpu)) << gpu;
  }
  EXPECT_FALSE(cuda::compiled_for(release, by_nvcc, 75));
  EXPECT_FALSE(cuda::compiled_for(release, by_nvcc, 110));
}

TEST(architectures_test, native_and_all_are_expanded_by_the_list_of_nvcc) {
  EXPECT_TRUE(cuda::compiled_for("native", "900", 90));
  EXPECT_FALSE(cuda::compiled_for("native", "900", 80));
  EXPECT_FALSE(cuda::compiled_for("native", "800,900", 100));  // machine code only
  EXPECT_TRUE(cuda::compiled_for("native", "800,900", 89));
  for (const char* word : {"all-major", "all"}) {
    EXPECT_TRUE(cuda::compiled_for(word, "800,900,1000", 90)) << word;
    EXPECT_TRUE(cuda::compiled_for(word, "800,900,1000", 120)) << word;
    EXPECT_FALSE(cuda::compiled_for(word, "800,900,1000", 75)) << word;
  }
  EXPECT_TRUE(cuda::compiled_for("OFF", "800", 90));
  EXPECT_TRUE(cuda::compiled_for("native", "", 90));
}

TEST(environment_test, an_invalid_count_counts_as_unset) {
  const char* variable = "SKERRY_TEST_COUNT";
  unsetenv(variable);
  EXPECT_EQ(count_from_environment(variable, 1, 7), 7);
  for (const char* bad : {"", "0", "65", "-1", "2x", "two", " 3", "+3"}) {
    setenv(variable, bad, 1);
    EXPECT_EQ(count_from_environment(variable, 1, 7), 7) << bad;
  }
  setenv(variable, "64", 1);
  EXPECT_EQ(count_from_environment(variable, 1, 7), 64);
  setenv(variable, "0", 1);
  EXPECT_EQ(count_from_environment(variable, 0, 7), 0);
  unsetenv(variable);
}

TEST(environment_test, an_invalid_flag_counts_as_unset) {
  const char* variable = "SKERRY_TEST_COUNT";
  for (const bool fallback : {false, true}) {
    unsetenv(variable);
    EXPECT_EQ(flag_from_environment(variable, fallback), fallback);
    for (const char* bad : {"", "2", "yes", "01"}) {
      setenv(variable, bad, 1);
      EXPECT_EQ(flag_from_environment(variable, fallback), fallback) << bad;
    }
    setenv(variable, "1", 1);
    EXPECT_TRUE(flag_from_environment(variable, fallback));
    setenv(variable, "0", 1);
    EXPECT_FALSE(flag_from_environment(variable, fallback));
  }
  unsetenv(variable);
}

}  // namespace
}  // namespace skerry
