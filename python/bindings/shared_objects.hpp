// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace skerry::python {

// Without the GIL, threads that count references to the same object wait for each other: four
// threads that add small arrays then take as long as one after the other. So the objects that all
// calls use, which are never freed anyway, are not counted. With the GIL these do nothing.

/// Stops counting references to an object that is never freed. Only its thread may know it yet.
void stop_counting(PyObject* object) noexcept;
/// The same for all functions of a module, or methods and attributes of a class.
void stop_counting_functions(PyObject* owner);

}  // namespace skerry::python
