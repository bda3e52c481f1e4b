// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The functions of libcuda.so.1 with which `make gpu-check` finds GPUs. Reports two H200 and one
// A100 that do not exist.

#include <string.h>

static const char* const names[] = {"NVIDIA H200", "NVIDIA H200", "NVIDIA A100-SXM4-40GB"};
static const int capabilities[][2] = {{9, 0}, {9, 0}, {8, 0}};

enum { count = sizeof names / sizeof *names, invalid_value = 1, major = 75, minor = 76 };

int cuInit(unsigned flags) { return flags == 0 ? 0 : invalid_value; }

int cuDeviceGetCount(int* found) {
  *found = count;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < count ? 0 : invalid_value;
}

int cuDeviceGetName(char* name, int room, int device) {
  strncpy(name, names[device], (size_t)room);
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (attribute != major && attribute != minor) return invalid_value;
  *value = capabilities[device][attribute - major];
  return 0;
}
