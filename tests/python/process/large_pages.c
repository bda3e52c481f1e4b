// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// For LD_PRELOAD: simulates a kernel with pages of PAGE_NBYTES bytes on one with smaller pages.
// Rejects addresses that are not multiples of a page, and rounds lengths up to whole pages.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)PAGE_NBYTES)
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static size_t whole(size_t length) { return (length + PAGE - 1) / PAGE * PAGE; }

static int refused(const void* address) {
  if ((uintptr_t)address % PAGE == 0) return 0;
  errno = EINVAL;
  return 1;
}

int munmap(void* address, size_t length) {
  return refused(address) ? -1 : NEXT(munmap)(address, whole(length));
}
int mprotect(void* address, size_t length, int access) {
  return refused(address) ? -1 : NEXT(mprotect)(address, whole(length), access);
}
int madvise(void* address, size_t length, int advice) {
  return refused(address) ? -1 : NEXT(madvise)(address, whole(length), advice);
}
int msync(void* address, size_t length, int flags) {
  return refused(address) ? -1 : NEXT(msync)(address, whole(length), flags);
}

void* mmap(void* address, size_t length, int access, int flags, int file, off_t offset) {
  const __typeof__(&mmap) real = NEXT(mmap);
  if (flags & MAP_FIXED) {
    if (refused(address)) return MAP_FAILED;
    return real(address, whole(length), access, flags, file, offset);
  }
  // Try a page-aligned hint as it is; otherwise map one more page and unmap both ends.
  if ((uintptr_t)address % PAGE == 0 && address != NULL) {
    void* const got = real(address, whole(length), access, flags, file, offset);
    if (got == MAP_FAILED || (uintptr_t)got % PAGE == 0) return got;
    NEXT(munmap)(got, whole(length));
  }
  char* const got = real(NULL, whole(length) + PAGE, access, flags, file, offset);
  if (got == MAP_FAILED) return got;
  char* const begin = (char*)(((uintptr_t)got + PAGE - 1) / PAGE * PAGE);
  const size_t before = (size_t)(begin - got);
  if (before > 0) NEXT(munmap)(got, before);
  NEXT(munmap)(begin + whole(length), PAGE - before);
  return begin;
}

// The name in programs compiled for large files, such as Python; off_t is the same.
void* mmap64(void* address, size_t length, int access, int flags, int file, off_t offset) {
  return mmap(address, length, access, flags, file, offset);
}

long sysconf(int name) { return name == _SC_PAGESIZE ? (long)PAGE : NEXT(sysconf)(name); }
int getpagesize(void) { return (int)PAGE; }
