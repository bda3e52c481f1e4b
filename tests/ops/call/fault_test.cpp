// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>

#include "core/errors.hpp"
#include "device/cuda/rehearsal/control.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/reduce/reduce.hpp"
#include "tests/ops/arrays.hpp"

// Every operation is repeated with its first, second, … allocation or CUDA call failing, until it
// gets through. Each time: a typed error, inputs and targets as before, no byte lost.

namespace skerry::testing {
namespace {

using doubles = std::vector<float64>;

/// Arrays on one device; calls may write to `target` only if they succeed.
struct fixture {
  explicit fixture(device where)
      : x(array_of(counting<float64>(12, 1.0), dims{3, 4}, where)),
        y(array_of(std::vector<float32>{1, 2, 3, 4}, where)),
        mask(array_of(std::vector<bool>{true, false, true, false}, where)),
        target(array_of(doubles(12, 5.0), dims{3, 4}, where)) {}
  [[nodiscard]] ndarray transposed() const { return x.view({dims{4, 3}, dims{8, 32}, 0}); }
  [[nodiscard]] std::vector<doubles> contents() const {
    const std::vector<float32> narrow = values_of<float32>(y);
    const std::vector<bool> flags = values_of<bool>(mask);
    return {values_of<float64>(x), doubles(narrow.begin(), narrow.end()),
            doubles(flags.begin(), flags.end()), values_of<float64>(target)};
  }

  ndarray x;
  ndarray y;
  ndarray mask;
  ndarray target;
};

struct trial {
  std::string name;
  std::function<void(const fixture&)> run;
};

/// A call with every operation, over operands that need a cast or a view wherever it takes them.
std::vector<trial> all_trials() {
  std::vector<trial> trials;
  for (const op_entry& entry : op_table()) {
    if (!entry.result[static_cast<int>(dtype::float64)]) continue;
    const op_id op = find_op(entry.name).value();
    const auto count = static_cast<std::size_t>(entry.arity);
    trials.push_back({entry.name, [op, count](const fixture& f) {
                        const operand all[] = {as_operand(f.x, "x1"), as_operand(f.y, "x2"),
                                               as_operand(f.y, "x3")};
                        (void)apply(op, {all, count});
                      }});
  }
  for (const reduction_entry& entry : reduction_table()) {
    const reduction_id op = find_reduction(entry.name).value();
    trials.push_back({entry.name, [op](const fixture& f) {
                        const std::int64_t axis[] = {0};
                        (void)reduce(op, f.transposed(), axis, {}, false);
                      }});
  }
  const auto add = [&](const char* name, std::function<void(const fixture&)> run) {
    trials.push_back({name, std::move(run)});
  };
  add("add of one dtype", [](const fixture& f) { (void)call("add", f.x, f.x); });
  add("add in place", [](const fixture& f) { call_into("add", f.target, f.y); });
  add("add in place, overlapping", [](const fixture& f) {
    call_into("add", f.target.view({dims{11}, dims{8}, 8}), f.target.view({dims{11}, dims{8}, 0}));
  });
  add("sum with dtype", [](const fixture& f) {
    (void)reduce(find_reduction("sum").value(), f.x, {}, dtype::float32, false);
  });
  add("where",
      [](const fixture& f) { (void)where(as_operand(f.mask), as_operand(f.x), as_operand(f.y)); });
  add("copy", [](const fixture& f) { (void)copy(f.x); });
  add("astype", [](const fixture& f) { (void)astype(f.transposed(), dtype::float32, false); });
  add("assign", [](const fixture& f) { assign("assign", f.target, f.y); });
  add("assign, overlapping", [](const fixture& f) {
    assign("assign", f.target.view({dims{11}, dims{8}, 8}), f.target.view({dims{11}, dims{8}, 0}));
  });
  add("fill", [](const fixture& f) { fill("fill", f.target, scalar::of(9.0)); });
  add("reshape", [](const fixture& f) {
    const std::int64_t shape[] = {12};
    (void)reshape(f.transposed(), shape, {});
  });
  add("full",
      [](const fixture& f) { (void)full(dims{3}, scalar::of(1.0), dtype::float64, f.x.device()); });
  add("arange", [](const fixture& f) {
    (void)arange(scalar::of(0.0), scalar::of(9.0), scalar::of(1.0), {}, f.x.device());
  });
  add("linspace", [](const fixture& f) {
    (void)linspace(scalar::of(0.0), scalar::of(9.0), 4, {}, f.x.device(), true);
  });
  add("eye", [](const fixture& f) { (void)eye(3, 3, 0, dtype::float64, f.x.device()); });
  add("tril", [](const fixture& f) { (void)tril(f.x, 0); });
  for (const device target : every_device) {
    add("to_device", [target](const fixture& f) { (void)to_device(f.transposed(), target); });
    add("to_device of a slice", [target](const fixture& f) {
      (void)to_device(f.x.view({dims{3, 2}, dims{32, 16}, 8}), target);
    });
  }
  return trials;
}

class fault_on : public ::testing::TestWithParam<device> {};
INSTANTIATE_TEST_SUITE_P(every_device, fault_on, ::testing::ValuesIn(every_device), device_name);

/// A source of faults: `arm(k)` makes the k-th event from now on fail, `count` says how many there
/// were since, `disarm` makes all well.
struct fault_source {
  void (*arm)(std::uint64_t k);
  std::uint64_t (*count)();
  void (*disarm)();
};

constexpr fault_source allocations{[](std::uint64_t k) { fail_allocation(k); },
                                   &counted_allocations, [] { fail_allocation(0); }};
constexpr fault_source cuda_calls{
    [](std::uint64_t k) { rehearsal::fail_call(k, cuda::invalid_value); },
    [] { return rehearsal::calls(); }, [] { rehearsal::clear(); }};

/// One call with fault k. Returns whether it got through without meeting it.
bool gets_through(const trial& what, device where, const fault_source& faults, std::uint64_t k,
                  int& failures) {
  const fixture f(where);
  const std::vector<doubles> contents = f.contents();
  const std::vector<std::size_t> live = live_bytes();
  std::string error;
  faults.arm(k);
  try {
    what.run(f);
  } catch (const out_of_memory_error&) {
    error = "out_of_memory_error";
  } catch (const device_error&) {
    error = "device_error";
  } catch (const std::exception& other) {
    ADD_FAILURE() << what.name << ", fault " << k << ": not the expected type: " << other.what();
  }
  const bool met = faults.count() >= k;
  faults.disarm();
  EXPECT_EQ(live_bytes(), live) << what.name << ", fault " << k << ' ' << error;
  if (!error.empty()) {
    ++failures;
    EXPECT_EQ(f.contents(), contents) << what.name << ", fault " << k << ' ' << error;
  }
  return !met;
}

/// Returns how many calls failed.
int try_every_fault(device where, const fault_source& faults) {
  constexpr std::uint64_t too_many = 500;
  int failures = 0;
  for (const trial& what : all_trials()) {
    std::uint64_t k = 1;
    while (k < too_many && !gets_through(what, where, faults, k, failures)) ++k;
    EXPECT_LT(k, too_many) << what.name << " meets one fault after the other";
  }
  return failures;
}

TEST_P(fault_on, failing_allocations_are_reported_and_change_nothing) {
  EXPECT_GT(try_every_fault(GetParam(), allocations), 67);
}

TEST_P(fault_on, failing_cuda_calls_are_reported_and_change_nothing) {
  const int failures = try_every_fault(GetParam(), cuda_calls);
  if (GetParam().kind == cuda_kind) {
    EXPECT_GT(failures, 67);
  }
}

}  // namespace
}  // namespace skerry::testing
