// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/cpu/info.hpp"
#include "device/memory.hpp"
#include "ops/call/kernels.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/pending.hpp"
#include "python/bindings/pybind.hpp"
#include "python/bindings/shared_objects.hpp"

namespace {

/// Collects cyclic garbage, which may hold arrays: called when memory runs out.
void collect_garbage() noexcept {
  const skerry::python::WithGil gil_guard;
  if (!gil_guard) return;
  const skerry::python::ErrorAside error_scope;
  PyGC_Collect();
}

constexpr std::size_t reserved_stack = std::size_t{1} << 20;

[[gnu::noinline]] void touch_stack() {
  [[maybe_unused]] volatile char below[reserved_stack];
  below[0] = 0;
}

/// Grows the main thread's stack now, by more than kernels use, or fails the import. Otherwise the
/// stack would grow on first access, which kills a process at its address limit (ulimit -v).
void reserve_stack() {
  if (syscall(SYS_gettid) != getpid()) return;  // stacks of other threads are mapped as a whole
  void* const got =
      mmap(nullptr, 2 * reserved_stack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) {
    PyErr_NoMemory();
    throw skerry::python::PythonError{};
  }
  munmap(got, 2 * reserved_stack);
  touch_stack();
}

/// Fails the import on a processor that lacks the lowest level of this build.
void require_instruction_set() {
  const skerry::cpu::Isa level = skerry::kernel_level();
  if (level <= skerry::cpu::supported_isa()) return;
  PyErr_Format(PyExc_ImportError,
               "skerry: this processor (%s) lacks instructions of %s, which this build of skerry "
               "needs; build skerry for it from source with SKERRY_CPU_TARGETS=generic",
               skerry::cpu::processor_name().c_str(), skerry::cpu::to_string(level));
  throw skerry::python::PythonError{};
}

}  // namespace

// Runs without the GIL where CPython does.
PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  using namespace skerry::python;
  try {
    require_instruction_set();
    reserve_stack();
    prepare_errors();
    prepare_scalars();
    prepare_array_type(module.ptr());
    add_devices(module);
    add_functions(module.ptr());
    add_array_functions(module.ptr());
    add_creation(module.ptr());
    add_cuda_interface(module.ptr());
    add_joining(module.ptr());
    add_take(module.ptr());
    add_sorting(module.ptr());
    add_products(module.ptr());
    add_promotion(module.ptr());
    add_random(module.ptr());
    add_scans(module.ptr());
    add_sets(module.ptr());
    add_counting(module.ptr());
    add_composed(module.ptr());
    add_flat_indices(module.ptr());
    add_allocators(module);
    add_diagnostics(module);
    add_graphs(module);
    add_ledgers(module);
    add_memory_trace(module);
    add_profiles(module);
    add_ipc(module);
    add_guarded_numpy(module);
    finish_bindings(module);
    list_public_names(module, "skerry");
    py::module_ fft = module.def_submodule("fft");
    add_fft(fft.ptr());
    list_public_names(fft, "skerry.fft");
    py::module_ linalg = module.def_submodule("linalg");
    add_linalg(linalg.ptr());
    list_public_names(linalg, "skerry.linalg");
    add_function_methods(array_type);
    add_own_methods(array_type);
    add_absent_attributes(array_type);
    add_fuse(module.ptr());
    for (const py::module_& submodule : {module, fft, linalg})
      stop_counting_functions(submodule.ptr());
    stop_counting_functions(reinterpret_cast<PyObject*>(array_type));
    module.attr("__version__") = SKERRY_VERSION;
  } catch (const PythonError&) {
    throw pybind11::error_already_set();
  }
  skerry::set_outer_lock(skerry::python::gil);
  skerry::set_garbage_collector(collect_garbage);
}
