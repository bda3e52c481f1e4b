// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/emulator/execute/program.hpp"

namespace skerry::emulation {

/// How undefined bits of an instruction's sources reach its results.
enum class Propagation : std::uint8_t {
  none,         ///< results are defined whatever the sources are
  all,          ///< one undefined bit makes all of the result undefined
  moved,        ///< as the operation moves bits: it is run on them
  carried,      ///< upwards, as sums and products carry
  conjunction,  ///< but for bits that a defined 0 settles
  disjunction,  ///< but for bits that a defined 1 settles
  either,       ///< bit by bit
  equality,     ///< but where defined bits differ
  ballot,       ///< a bit for each lane
  group,        ///< of one lane to all members of a collective
  load,
  store,
  atomic,
  exchange,   ///< atomic, but moves bits alone
  addresses,  ///< all sources have to be defined: copies and mbarriers
};

/// What an instruction is when undefined values are looked for.
struct PropagationRule {
  handler execute = nullptr;
  row guard = no_row;
  bool is_guard_negated = false;
  Propagation flow = Propagation::none;
  std::uint8_t moved_sources = 0;               ///< a bit for each whose bits the operation moves
  bool extends_sign = false;                    ///< a load
  bool has_predicates = false;                  ///< sources and results are predicates
  std::array<std::uint8_t, 4> result_nbytes{};  ///< 0: a predicate
  std::array<std::uint8_t, 5> source_nbytes{};
};

/// A kernel whose plain instructions call `instrumented` for the lanes of their fragment, guards
/// evaluated by nobody yet.
struct InstrumentedProgram {
  InstrumentedProgram(const Program& source, handler instrumented);

  Program program;
  std::vector<PropagationRule> rules;  ///< of the code, in its order
};

}  // namespace skerry::emulation
