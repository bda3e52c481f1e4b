// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/cpu/tiles.hpp"

#include "core/known_loop.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

void run_tiles(const plan& work, const loop& what) noexcept {
  if (work.size == 0) [[unlikely]] {  // ask_loop()
    *reinterpret_cast<known_loop*>(work.data[0]) = {what.body, what.accepts};
    return;
  }
  drive(work, what);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
