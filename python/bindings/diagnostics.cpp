// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/errors.hpp"
#include "device/cpu/info.hpp"
#include "device/diagnostics.hpp"
#include "device/host_pages.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/transfer.hpp"
#include "ops/call/registry.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"

namespace skerry::python {
namespace {

object loops_of(const std::optional<dtype> (&results)[dtype_count]) {
  object loops(PyDict_New());
  for (int i = 0; i < dtype_count; ++i) {
    if (!results[i]) continue;
    const object result(PyUnicode_FromString(name(*results[i])));
    PyDict_SetItemString(loops.get(), name(static_cast<dtype>(i)), result.get());
  }
  return loops;
}

PyObject* run_op_table(const arguments&) {
  object table(PyList_New(0));
  for (const op_entry& op : op_table()) {
    const object loops = loops_of(op.result);
    const object row(Py_BuildValue("{s:s,s:s,s:i,s:O,s:O}", "name", op.name, "doc", op.doc, "arity",
                                   op.arity, "expensive", op.expensive ? Py_True : Py_False,
                                   "loops", loops.get()));
    if (PyList_Append(table.get(), row.get()) != 0) return nullptr;
  }
  return table.release();
}

PyObject* run_reduction_table(const arguments&) {
  object table(PyList_New(0));
  for (const reduction_entry& op : reduction_table()) {
    const object loops = loops_of(op.result);
    const object row(Py_BuildValue("{s:s,s:s,s:O,s:O,s:O,s:O,s:O}", "name", op.name, "doc", op.doc,
                                   "needs_elements", op.needs_elements ? Py_True : Py_False,
                                   "has_dtype", op.has_dtype ? Py_True : Py_False, "has_correction",
                                   op.has_correction ? Py_True : Py_False, "has_one_axis",
                                   op.has_one_axis ? Py_True : Py_False, "loops", loops.get()));
    if (PyList_Append(table.get(), row.get()) != 0) return nullptr;
  }
  return table.release();
}

PyObject* run_fail_allocation(const arguments& with) {
  fail_allocation(static_cast<std::uint64_t>(clamped_integer(with[0])), truth(with[1], false));
  Py_RETURN_NONE;
}

PyObject* run_counted_allocations(const arguments&) {
  return PyLong_FromUnsignedLongLong(counted_allocations());
}

PyObject* run_rehearsal_fail_call(const arguments& with) {
  fail_rehearsed_call(static_cast<std::uint64_t>(clamped_integer(with[0])),
                      static_cast<int>(clamped_integer(with[1])), truth(with[2], false));
  Py_RETURN_NONE;
}

PyObject* run_rehearsal_delay(const arguments& with) {
  const int least = static_cast<int>(clamped_integer(with[0]));
  delay_rehearsed_work(least, with.has(1) ? static_cast<int>(clamped_integer(with[1])) : least);
  Py_RETURN_NONE;
}

PyObject* run_rehearsal_calls(const arguments&) {
  return PyLong_FromUnsignedLongLong(rehearsed_calls());
}

PyObject* run_rehearsal_contexts(const arguments&) {
  object ordinals(PyList_New(0));
  for (const int ordinal : rehearsed_contexts()) {
    const object number(PyLong_FromLong(ordinal));
    if (PyList_Append(ordinals.get(), number.get()) != 0) return nullptr;
  }
  return ordinals.release();
}

PyObject* run_rehearsal_set_device(const arguments& with) {
  return PyLong_FromLong(set_rehearsed_device(static_cast<int>(clamped_integer(with[0]))));
}

PyObject* run_rehearsal_set_captured(const arguments& with) {
  const std::int64_t handle = clamped_integer(with[0]);
  capture_rehearsed_stream(reinterpret_cast<void*>(static_cast<std::uintptr_t>(handle)));
  Py_RETURN_NONE;
}

PyObject* run_count_cuda_calls(const arguments& with) {
  return guarded([&] {
    count_cuda_calls(truth(with[0], true));
    return Py_NewRef(Py_None);
  });
}

PyObject* run_counted_cuda_calls(const arguments&) {
  object counts(PyDict_New());
  for (const counted_call& each : counted_cuda_calls()) {
    const object count(PyLong_FromUnsignedLongLong(each.count));
    if (PyDict_SetItemString(counts.get(), each.name, count.get()) != 0) return nullptr;
  }
  return counts.release();
}

PyObject* run_cuda_was_used(const arguments&) { return PyBool_FromLong(cuda_was_used()); }
PyObject* run_is_rehearsing(const arguments&) { return PyBool_FromLong(is_rehearsing()); }

PyObject* run_why_no_cuda(const arguments&) {
  const std::optional<cuda_problem> problem = why_no_cuda();
  if (!problem) Py_RETURN_NONE;
  return Py_BuildValue("(ss)", to_string(problem->reason), problem->text.c_str());
}

PyObject* run_cuda_versions(const arguments&) {
  return Py_BuildValue("(ii)", cuda_driver_version(), cuda_runtime_version());
}

PyObject* run_cuda_allocator(const arguments&) { return PyUnicode_FromString(cuda_allocator()); }

PyObject* run_built_dtypes(const arguments&) {
  object names(PyList_New(0));
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<dtype>(i);
    if (!is_built(type)) continue;
    const object one(PyUnicode_FromString(name(type)));
    if (PyList_Append(names.get(), one.get()) != 0) return nullptr;
  }
  return PyList_AsTuple(names.get());
}

PyObject* run_instruction_set(const arguments&) {
  return PyUnicode_FromString(cpu::to_string(cpu::best_isa()));
}

PyObject* run_transfers(const arguments&) {
  const transfer_statistics moved = transfers();
  return Py_BuildValue("{s:K,s:K,s:K,s:K}", "host_to_device_bytes", moved.host_to_device_bytes,
                       "device_to_host_bytes", moved.device_to_host_bytes, "device_to_device_bytes",
                       moved.device_to_device_bytes, "count", moved.count);
}

PyObject* run_is_pinned(const arguments& with) {
  return PyBool_FromLong(require_array("is_pinned", "x", with[0]).memory()->pinned());
}

PyObject* run_is_page_locked(const arguments& with) {
  return PyBool_FromLong(require_array("is_page_locked", "x", with[0]).memory()->page_locked());
}

PyObject* run_page_locks(const arguments&) {
  const page_lock_statistics now = page_locks();
  return Py_BuildValue("{s:n,s:n,s:K}", "nbytes", static_cast<Py_ssize_t>(now.nbytes), "limit",
                       static_cast<Py_ssize_t>(now.limit), "refusals",
                       static_cast<unsigned long long>(now.refusals));
}

PyObject* run_is_writable(const arguments& with) {
  return PyBool_FromLong(!require_array("is_writable", "x", with[0]).read_only());
}

constexpr function_entry diagnostic_functions[] = {
    {"op_table", "()", "The elementwise operations: name, doc, arity, loops by dtype.",
     run_op_table},
    {"reduction_table", "()", "The reductions: name, doc, loops by dtype.", run_reduction_table},
    {"fail_allocation", "(k, from_then_on=False, /)",
     "Make the k-th allocation from now on fail; 0 disarms. For tests.", run_fail_allocation},
    {"counted_allocations", "()", "Allocations since fail_allocation was last called.",
     run_counted_allocations},
    {"rehearsal_fail_call", "(k, code, sticky=False, /)",
     "Make the k-th simulated CUDA call return a code; k = 0 disarms and repairs. For tests.",
     run_rehearsal_fail_call},
    {"rehearsal_delay", "(microseconds, most=None, /)",
     "Make every piece of simulated work wait before it runs: each for another time, if there are "
     "two. For tests.",
     run_rehearsal_delay},
    {"rehearsal_calls", "()", "Simulated CUDA calls since rehearsal_fail_call was last called.",
     run_rehearsal_calls},
    {"rehearsal_contexts", "()", "Ordinals of the simulated GPUs that have a context. For tests.",
     run_rehearsal_contexts},
    {"rehearsal_set_device", "(ordinal, /)",
     "Another library's cudaSetDevice on the simulated GPUs; a status. For tests.",
     run_rehearsal_set_device},
    {"rehearsal_set_captured", "(handle, /)",
     "Make a simulated stream count as being captured into a graph; 0 for none. For tests.",
     run_rehearsal_set_captured},
    {"count_cuda_calls", "(on, /)", "Begin or end to count calls of the CUDA runtime. For tests.",
     run_count_cuda_calls},
    {"counted_cuda_calls", "()", "Calls of the CUDA runtime by name, while they were counted.",
     run_counted_cuda_calls},
    {"cuda_was_used", "()", "Whether this process has made a CUDA call, simulated or real.",
     run_cuda_was_used},
    {"is_rehearsing", "()", "Whether the CUDA devices are rehearsed.", run_is_rehearsing},
    {"why_no_cuda", "()", "(reason, text) if there is no CUDA device, else None.", run_why_no_cuda},
    {"built_dtypes", "()", "Names of the dtypes that this build has kernels for.",
     run_built_dtypes},
    {"cuda_allocator", "()", "Where memory of CUDA devices comes from: pool or system.",
     run_cuda_allocator},
    {"cuda_versions", "()",
     "Driver and runtime version as 1000 * major + 10 * minor; 0 if unknown.", run_cuda_versions},
    {"instruction_set", "()", "The x86-64 level whose kernels are used.", run_instruction_set},
    {"transfers", "()", "Bytes moved between devices since start, by kinds.", run_transfers},
    {"is_pinned", "(x, /)", "Whether a GPU reads the host memory of the array by its address.",
     run_is_pinned},
    {"is_page_locked", "(x, /)",
     "Whether copies between the array, on a CPU device, and a GPU go without a chunk in between.",
     run_is_page_locked},
    {"page_locks", "()", "Host memory that was locked by itself: nbytes, limit, refusals.",
     run_page_locks},
    {"is_writable", "(x, /)", "Whether the elements may be assigned to.", run_is_writable},
};

}  // namespace

void add_diagnostics(PyObject* module) { add_functions<diagnostic_functions>(module); }

}  // namespace skerry::python
