// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>
#include <vector>

#include "core/item_size.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/table/table.hpp"
#include "tests/ops/arrays.hpp"
#include "tests/ops/random_plans.hpp"
#include "tests/ops/unbuilt.hpp"

// Tests the kernels that move and fill, at every level that this machine supports.

namespace skerry {
namespace {

using random_plans::check_functor;
using testing::array_of;
using testing::values_of;

class CpuMoves : public random_plans::OfLevel {};

struct same {
  template <class T>
  T operator()(T x) const {
    return x;
  }
};
struct choice {
  template <class T>
  T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

template <class T>
void check_moves(const KernelTable& table, int rounds) {
  SCOPED_TRACE(name(dtype_of<T>));
  const int size = size_class(sizeof(T));
  check_functor<same, T, T>(table.moves.copy[size], 4, rounds, 0);
  check_functor<choice, T, bool, T, T>(table.moves.where_kernel[size], 5, rounds, 0);
}

TEST_P(CpuMoves, move_items_of_every_size) {
  check_moves<uint8>(*table_, 40);
  check_moves<int16>(*table_, 40);
  check_moves<float32>(*table_, 40);
  check_moves<int64>(*table_, 40);
  check_moves<complex128>(*table_, 40);
}

TEST_P(CpuMoves, fill_sequences_and_bands) {
  SKERRY_SKIP_UNBUILT(Dtype::int16);
  const NdArray sequence = array_of(std::vector<std::int16_t>(70001));
  MemoryUse uses[OperandList::max_uses];
  OperandList operands(sequence.device(), uses);
  run_on_host(table_->sequence.kernel[static_cast<int>(Dtype::int16)],
              SequenceParams{.output = operands(sequence),
                             .size = sequence.size(),
                             .start = Element::from_value<std::int64_t>(-5),
                             .step = Element::from_value<std::int64_t>(-3),
                             .last = {},
                             .has_last = false});
  const std::vector<std::int16_t> x = values_of<std::int16_t>(sequence);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(x[i], static_cast<std::int16_t>(-5 - 3 * static_cast<std::int64_t>(i))) << i;
  }
  const std::int64_t max_diagonal = INT64_MAX;
  for (const auto& [lower, upper] : {std::pair{-max_diagonal, std::int64_t{0}},
                                     {-1L, 1L},
                                     {2L, max_diagonal},
                                     {-max_diagonal - 1, max_diagonal},
                                     {3L, 1L},
                                     {100L, max_diagonal},
                                     {-max_diagonal, -100L}}) {
    const NdArray matrix = array_of(std::vector<std::uint8_t>(7 * 5, 9));
    OperandList matrix_operands(matrix.device(), uses);
    run_on_host(table_->moves.band, BandParams{.output = matrix_operands(matrix),
                                               .rows = 7,
                                               .columns = 5,
                                               .lower = lower,
                                               .upper = upper});
    const std::vector<std::uint8_t> band = values_of<std::uint8_t>(matrix);
    for (std::int64_t i = 0; i < 35; ++i) {
      const std::int64_t diagonal = i % 5 - i / 5;
      EXPECT_EQ(band[static_cast<std::size_t>(i)], lower <= diagonal && diagonal <= upper)
          << lower << ' ' << upper << ' ' << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(levels, CpuMoves, ::testing::ValuesIn(random_plans::levels()),
                         random_plans::level_name);

}  // namespace
}  // namespace skerry
