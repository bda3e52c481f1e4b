// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/emulator/execute/program.hpp"

namespace skerry::emulation {

/// How undefined bits propagate from the sources of an instruction to its results.
enum class Propagation : std::uint8_t {
  none,         ///< results are always defined
  all,          ///< any undefined bit makes the whole result undefined
  moved,        ///< the operation only moves bits: it is executed on the shadows
  carried,      ///< an undefined bit makes all higher bits undefined, as carries do
  conjunction,  ///< bitwise, but a defined 0 makes the result bit defined
  disjunction,  ///< bitwise, but a defined 1 makes the result bit defined
  either,       ///< bitwise: undefined if a source's bit is
  equality,     ///< undefined if a source is, unless bits differ that are defined in both
  ballot,       ///< one bit per lane
  group,        ///< an undefined bit of any lane makes the results of all members undefined
  load,
  store,
  atomic,
  exchange,   ///< atomic, but only moves bits
  addresses,  ///< copies and mbarriers: all sources must be defined
};

/// The original handler and guard of an instrumented instruction, and how it propagates undefined
/// bits.
struct PropagationRule {
  handler execute = nullptr;
  row guard = no_row;
  bool is_guard_negated = false;
  Propagation flow = Propagation::none;
  std::uint8_t moved_sources = 0;               ///< bit k: source k is moved
  bool extends_sign = false;                    ///< for loads
  bool has_predicates = false;                  ///< sources and results are predicates
  std::array<std::uint8_t, 4> result_nbytes{};  ///< 0: a predicate
  std::array<std::uint8_t, 5> source_nbytes{};
  /// Offsets of the rows that the instruction reads and writes, and their number; without the
  /// constants, which are defined.
  std::array<std::uint32_t, 10> rows{};
  std::uint8_t row_count = 0;
};

/// A copy of a program in which sequential instructions have the handler `instrumented` and no
/// guard: the handler receives all lanes of the fragment and evaluates the guard itself.
struct InstrumentedProgram {
  InstrumentedProgram(const Program& source, handler instrumented);

  Program program;
  std::vector<PropagationRule> rules;  ///< one per instruction
};

}  // namespace skerry::emulation
