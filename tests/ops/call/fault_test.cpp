// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>

#include "core/errors.hpp"
#include "device/rehearsal/control.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/reduce/reduce.hpp"
#include "tests/ops/arrays.hpp"

// Repeats every operation with its first, second, … allocation or CUDA call failing, until it
// succeeds. Each failing call must throw a typed error, leave inputs and targets unchanged, and
// leak no memory.

namespace skerry::testing {
namespace {

using doubles = std::vector<float64>;

/// Arrays on one device; calls may write to `target` only if they succeed.
struct Fixture {
  explicit Fixture(Device device)
      : x(array_of(counting<float64>(12, 1.0), Dims{3, 4}, device)),
        y(array_of(std::vector<float32>{1, 2, 3, 4}, device)),
        mask(array_of(std::vector<bool>{true, false, true, false}, device)),
        target(array_of(doubles(12, 5.0), Dims{3, 4}, device)) {}
  [[nodiscard]] NdArray transposed() const { return x.view({Dims{4, 3}, Dims{8, 32}, 0}); }
  [[nodiscard]] std::vector<doubles> contents() const {
    const std::vector<float32> narrow = values_of<float32>(y);
    const std::vector<bool> flags = values_of<bool>(mask);
    return {values_of<float64>(x), doubles(narrow.begin(), narrow.end()),
            doubles(flags.begin(), flags.end()), values_of<float64>(target)};
  }

  NdArray x;
  NdArray y;
  NdArray mask;
  NdArray target;
};

struct Trial {
  std::string name;
  std::function<void(const Fixture&)> function;
};

/// Returns a call of every operation. Operands need a cast, or are views, wherever it accepts them.
std::vector<Trial> all_trials() {
  std::vector<Trial> trials;
  for (const OpEntry& entry : op_table()) {
    if (!entry.result[static_cast<int>(Dtype::float64)]) continue;
    const op_id op = find_op(entry.name).value();
    const auto count = static_cast<std::size_t>(entry.arity);
    trials.push_back({entry.name, [op, count](const Fixture& f) {
                        const Operand all[] = {as_operand(f.x, "x1"), as_operand(f.y, "x2"),
                                               as_operand(f.y, "x3")};
                        (void)apply(op, {all, count});
                      }});
  }
  for (const ReductionEntry& entry : reduction_table()) {
    const reduction_id op = find_reduction(entry.name).value();
    trials.push_back({entry.name, [op](const Fixture& f) {
                        const std::int64_t axis[] = {0};
                        (void)reduce(op, f.transposed(), axis, {}, false);
                      }});
  }
  const auto add = [&](const char* name, std::function<void(const Fixture&)> function) {
    trials.push_back({name, std::move(function)});
  };
  add("add of one dtype", [](const Fixture& f) { (void)call("add", f.x, f.x); });
  add("add in place", [](const Fixture& f) { call_into("add", f.target, f.y); });
  add("add in place, overlapping", [](const Fixture& f) {
    call_into("add", f.target.view({Dims{11}, Dims{8}, 8}), f.target.view({Dims{11}, Dims{8}, 0}));
  });
  add("sum with dtype", [](const Fixture& f) {
    (void)reduce(find_reduction("sum").value(), f.x, {}, Dtype::float32, false);
  });
  add("where",
      [](const Fixture& f) { (void)where(as_operand(f.mask), as_operand(f.x), as_operand(f.y)); });
  add("copy", [](const Fixture& f) { (void)copy(f.x); });
  add("astype", [](const Fixture& f) { (void)astype(f.transposed(), Dtype::float32, false); });
  add("assign", [](const Fixture& f) { assign(f.target, f.y); });
  add("assign, overlapping", [](const Fixture& f) {
    assign(f.target.view({Dims{11}, Dims{8}, 8}), f.target.view({Dims{11}, Dims{8}, 0}));
  });
  add("fill", [](const Fixture& f) { fill(f.target, Scalar::from_value(9.0)); });
  add("reshape", [](const Fixture& f) {
    const std::int64_t shape[] = {12};
    (void)reshape(f.transposed(), shape, {});
  });
  add("full", [](const Fixture& f) {
    (void)full(Dims{3}, Scalar::from_value(1.0), Dtype::float64, f.x.device());
  });
  add("arange", [](const Fixture& f) {
    (void)arange(Scalar::from_value(0.0), Scalar::from_value(9.0), Scalar::from_value(1.0), {},
                 f.x.device());
  });
  add("linspace", [](const Fixture& f) {
    (void)linspace(Scalar::from_value(0.0), Scalar::from_value(9.0), 4, {}, f.x.device(), true);
  });
  add("eye", [](const Fixture& f) { (void)eye(3, 3, 0, Dtype::float64, f.x.device()); });
  add("tril", [](const Fixture& f) { (void)tril(f.x, 0); });
  for (const Device target : every_device) {
    add("to_device", [target](const Fixture& f) { (void)to_device(f.transposed(), target); });
    add("to_device of a slice", [target](const Fixture& f) {
      (void)to_device(f.x.view({Dims{3, 2}, Dims{32, 16}, 8}), target);
    });
  }
  return trials;
}

class FaultOn : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(every_device, FaultOn, ::testing::ValuesIn(every_device), device_name);

/// Injects faults: `arm(k)` makes the k-th event from now on fail, `count` returns the number of
/// events since then, and `disarm` stops injecting.
struct FaultSource {
  void (*arm)(std::uint64_t k);
  std::uint64_t (*count)();
  void (*disarm)();
};

constexpr FaultSource allocations{[](std::uint64_t k) { fail_allocation(k); }, &counted_allocations,
                                  [] { fail_allocation(0); }};
constexpr FaultSource cuda_calls{
    [](std::uint64_t k) { rehearsal::fail_call(k, cuda::invalid_value); },
    [] { return rehearsal::calls(); }, [] { rehearsal::clear(); }};

/// Runs a call whose k-th event fails. Returns true if it had fewer events.
bool gets_through(const Trial& trial, Device device, const FaultSource& faults, std::uint64_t k,
                  int& failures) {
  const Fixture f(device);
  const std::vector<doubles> contents = f.contents();
  const std::vector<std::size_t> live = live_bytes();
  std::string error;
  faults.arm(k);
  try {
    trial.function(f);
  } catch (const OutOfMemoryError&) {
    error = "out_of_memory_error";
  } catch (const DeviceError&) {
    error = "device_error";
  } catch (const std::exception& other) {
    ADD_FAILURE() << trial.name << ", fault " << k << ": not the expected type: " << other.what();
  }
  const bool met = faults.count() >= k;
  faults.disarm();
  EXPECT_EQ(live_bytes(), live) << trial.name << ", fault " << k << ' ' << error;
  if (!error.empty()) {
    ++failures;
    EXPECT_EQ(f.contents(), contents) << trial.name << ", fault " << k << ' ' << error;
  }
  return !met;
}

/// Returns how many calls failed.
int try_every_fault(Device device, const FaultSource& faults) {
  constexpr std::uint64_t too_many = 500;
  int failures = 0;
  for (const Trial& trial : all_trials()) {
    std::uint64_t k = 1;
    while (k < too_many && !gets_through(trial, device, faults, k, failures)) ++k;
    EXPECT_LT(k, too_many) << trial.name << " still fails after that many faults";
  }
  return failures;
}

TEST_P(FaultOn, failing_allocations_are_reported_and_change_nothing) {
  EXPECT_GT(try_every_fault(GetParam(), allocations), 67);
}

TEST_P(FaultOn, failing_cuda_calls_are_reported_and_change_nothing) {
  const int failures = try_every_fault(GetParam(), cuda_calls);
  if (GetParam().kind == cuda_kind) {
    EXPECT_GT(failures, 67);
  }
}

}  // namespace
}  // namespace skerry::testing
