// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The names by which programs that were compiled with a default stream of each thread call the
// driver. The machine has one queue for both default streams, so that they are the same functions;
// a jump leaves every parameter where it is.

#ifdef __aarch64__
#define SKERRY_JUMP "b "
#else
#define SKERRY_JUMP "jmp "
#endif

#define SKERRY_PER_THREAD(symbol, suffix)                                                      \
  __asm__(".pushsection .text\n.globl " #symbol #suffix "\n.type " #symbol #suffix             \
          ", %function\n" #symbol #suffix ":\n" SKERRY_JUMP #symbol "\n.size " #symbol #suffix \
          ", . - " #symbol #suffix "\n.popsection\n");
#include "device/emulator/driver/per_thread.inc"
#undef SKERRY_PER_THREAD
