// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/cupy/table.hpp"

// Functions of Python that run in stream order.

namespace skerry::emulation::cupy {

/// Calls `function(stream, 0, argument)`.
PyObject* stream_add_callback(std::intptr_t stream, PyObject* function, std::intptr_t argument, int,
                              const OptionalArgument<unsigned>* flags);
/// Calls `function(argument)`.
PyObject* launch_host_function(std::intptr_t stream, PyObject* function, std::intptr_t argument,
                               int);
/// Calls `pair[0](pair[1])`, any number of times: the caller keeps `pair`.
PyObject* launch_unmanaged_host_function(std::intptr_t stream, PyObject* pair, int);

}  // namespace skerry::emulation::cupy
