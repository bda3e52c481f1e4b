/* SPDX-FileCopyrightText: The skerry developers
   SPDX-License-Identifier: Apache-2.0 */

/* An emulated GPU with another interface version than skerry needs, in C. */
#include "device/cuda/api.h"

__attribute__((visibility("default"))) const struct skerry_emulator* skerry_emulator_interface(
    void) {
  static const struct skerry_emulator emulator = {SKERRY_CUDA_API_VERSION + 1, "9.8.7", NULL, NULL};
  return &emulator;
}
