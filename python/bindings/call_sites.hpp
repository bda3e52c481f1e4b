// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

// The places from which Python calls skerry's functions: definitions of functions and methods,
// slots of types, vectorcall pointers of objects. While a profile is open, they point to the forms
// of the functions that profiles observe. So a call costs nothing extra without a profile.

namespace skerry::python {

/// Notes the form of a function that is called while a profile is open.
void add_profiled_form(void* function, void* profiled_form);
/// Adds the place of a pointer to a function. Does nothing if the function has no profiled form.
void add_call_site(void** location);
void add_call_site(PyMethodDef& definition);
/// Adds the slots and methods of a type.
void add_call_sites(PyTypeObject* type);
/// To be called before the place is freed.
void remove_call_site(void** location) noexcept;
/// Makes all call sites, also later ones, point to the profiled forms or to the functions.
void profile_call_sites(bool is_profiled) noexcept;

}  // namespace skerry::python
