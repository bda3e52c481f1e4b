// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/python_line.hpp"

#include "device/emulator/runtime/python_line.hpp"

namespace skerry::emulation::nccl {

std::string python_line() {
  const PythonLine line = emulation::python_line();
  if (line.number == 0) return {};
  return line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.number);
}

}  // namespace skerry::emulation::nccl
