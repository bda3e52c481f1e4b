// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Symbols for programs compiled with per-thread default streams. Both default streams are one queue
// here, so these are aliases; a jump leaves all arguments in place.

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
