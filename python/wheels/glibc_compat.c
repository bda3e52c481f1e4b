// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
// Symbols of glibc versions after 2.28 that GCC 12's libstdc++.a needs. Linked into wheels only.
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN char __libc_single_threaded = 0;

HIDDEN uint32_t arc4random(void) {
  uint32_t bits;
  if (getentropy(&bits, sizeof bits) != 0) abort();
  return bits;
}
