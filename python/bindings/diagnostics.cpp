// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/diagnostics.hpp"

#include <array>
#include <string>

#include "core/errors.hpp"
#include "device/cpu/info.hpp"
#include "device/host_pages.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"
#include "device/storage_attachment.hpp"
#include "device/transfer.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/kernels.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/reduce/reduction_table.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/pybind.hpp"
#include "python/bindings/scalar_args.hpp"

namespace skerry::python {
namespace {

using py::literals::operator""_a;

py::dict loops_of(const std::optional<Dtype> (&results)[dtype_count]) {
  py::dict loops;
  for (int i = 0; i < dtype_count; ++i) {
    if (results[i]) loops[name(static_cast<Dtype>(i))] = name(*results[i]);
  }
  return loops;
}

py::list list_operations() {
  py::list table;
  for (const OpEntry& op : op_table()) {
    table.append(py::dict("name"_a = op.name, "doc"_a = op.doc, "arity"_a = op.arity,
                          "expensive"_a = op.expensive, "is_private"_a = op.is_private,
                          "loops"_a = loops_of(op.result)));
  }
  return table;
}

py::list list_reductions() {
  py::list table;
  for (const ReductionEntry& op : reduction_table()) {
    table.append(py::dict("name"_a = op.name, "doc"_a = op.doc,
                          "needs_elements"_a = op.needs_elements, "has_dtype"_a = op.has_dtype,
                          "has_correction"_a = op.has_correction,
                          "has_one_axis"_a = op.has_one_axis, "is_private"_a = op.is_private,
                          "loops"_a = loops_of(op.result)));
  }
  return table;
}

py::dict kinds_of_dtypes() {
  py::dict kinds;
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<Dtype>(i);
    kinds[name(type)] = name(kind(type));
  }
  return kinds;
}

py::tuple list_built_dtypes() {
  py::list names;
  for (int i = 0; i < dtype_count; ++i) {
    if (is_built(static_cast<Dtype>(i))) names.append(name(static_cast<Dtype>(i)));
  }
  return py::tuple(names);
}

void add_tables(py::module_& module) {
  module.def("op_table", list_operations,
             "The elementwise operations: name, doc, arity, loops by dtype.");
  module.def("reduction_table", list_reductions, "The reductions: name, doc, loops by dtype.");
  module.def("dtype_kinds", kinds_of_dtypes, "The kind of each dtype, by its name.");
  module.def(
      "has_dtype",
      [](const py::object& device, const py::object& dtype) {
        const Device parsed_device = parse_device_argument(device.ptr());
        static_cast<void>(device_count(parsed_device.kind));  // finds the devices and their backend
        return has_dtype(parsed_device, parse_dtype(dtype.ptr()));
      },
      py::arg("device"), py::arg("dtype"), py::pos_only(), "Whether a device has a dtype.");
  module.def("built_dtypes", list_built_dtypes,
             "Names of the dtypes that this build has kernels for.");
  module.def(
      "instruction_set", [] { return cpu::to_string(kernel_level()); },
      "The level of the processor whose kernels are used.");
  module.def(
      "instruction_sets",
      [] {
        py::list names;
        for (const cpu::Isa level : kernel_levels()) {
          if (level <= cpu::supported_isa()) names.append(cpu::to_string(level));
        }
        return py::tuple(names);
      },
      "The levels of this build that the processor supports, the lowest first.");
}

void add_failures(py::module_& module) {
  module.def("fail_allocation", fail_allocation, py::arg("k"), py::arg("from_then_on") = false,
             py::pos_only(),
             "Make the k-th allocation from now on fail; 0 disables it. For tests.");
  module.def("counted_allocations", counted_allocations,
             "Allocations since fail_allocation was last called.");
  module.def("rehearsal_fail_call", fail_rehearsed_call, py::arg("k"), py::arg("code"),
             py::arg("sticky") = false, py::pos_only(),
             "Make the k-th simulated CUDA call return a code; k = 0 disables it and clears a "
             "sticky error. For tests.");
  module.def("rehearsal_calls", rehearsed_calls,
             "Simulated CUDA calls since rehearsal_fail_call was last called.");
  module.def(
      "rehearsed_traffic",
      [] {
        const RehearsedTraffic traffic = rehearsed_traffic();
        return py::dict("host_to_device_bytes"_a = traffic.host_to_device_bytes,
                        "device_to_host_bytes"_a = traffic.device_to_host_bytes,
                        "device_to_device_bytes"_a = traffic.device_to_device_bytes,
                        "waits"_a = traffic.waits);
      },
      "Bytes copied by the simulated devices and waits for them, as they count them. For tests.");
}

void add_rehearsal(py::module_& module) {
  module.def(
      "rehearsed_kernels",
      [] {
        constexpr std::array names{"none", "users", "all"};
        return names[static_cast<std::size_t>(kernels_of_rehearsal())];
      },
      "Which CUDA kernels run on the rehearsed devices: \"none\", \"users\" or \"all\".");
  module.def("is_rehearsing", is_rehearsing, "Whether the CUDA devices are rehearsed.");
  module.def(
      "rehearsal_delay",
      [](int microseconds, std::optional<int> max_microseconds) {
        delay_rehearsed_work(microseconds, max_microseconds.value_or(microseconds));
      },
      py::arg("microseconds"), py::arg("most") = py::none(), py::pos_only(),
      "Delay each item of simulated work before it runs: by varying times up to the second value, "
      "if given. For tests.");
  module.def("rehearse_float64", rehearse_float64, py::arg("is_there"), py::pos_only(),
             "Set whether rehearsed devices have float64 and complex128.");
  module.def("refresh_rehearsed_devices", refresh_rehearsed_devices,
             "Read the properties of the rehearsed devices again, after a change of settings.");
  module.def("rehearsal_contexts", rehearsed_contexts,
             "Ordinals of the simulated GPUs that have a context. For tests.");
  module.def(
      "rehearsal_set_device", set_rehearsed_device, py::arg("ordinal"), py::pos_only(),
      "Call cudaSetDevice on the simulated GPUs as another library would; returns the status. "
      "For tests.");
  module.def(
      "rehearsal_set_captured",
      [](std::uintptr_t handle) { capture_rehearsed_stream(reinterpret_cast<void*>(handle)); },
      py::arg("handle"), py::pos_only(),
      "Mark a simulated stream as being captured into a graph; 0 for none. For tests.");
  const auto pointer = [](std::uintptr_t number) { return reinterpret_cast<void*>(number); };
  module.def(
      "rehearsal_begin_capture",
      [=](std::uintptr_t handle) { return begin_rehearsed_capture(pointer(handle)); },
      py::arg("handle"), py::pos_only(),
      "Begin the capture of a simulated stream as another library would; returns the status. For "
      "tests.");
  module.def(
      "rehearsal_end_capture",
      [=](std::uintptr_t handle) {
        void* graph = nullptr;
        const int status = end_rehearsed_capture(pointer(handle), &graph);
        return std::pair(status, reinterpret_cast<std::uintptr_t>(graph));
      },
      py::arg("handle"), py::pos_only(),
      "End such a capture; returns the status and the graph. For tests.");
  module.def(
      "rehearsal_launch_graph",
      [=](std::uintptr_t graph, std::uintptr_t handle) {
        return launch_rehearsed_graph(pointer(graph), pointer(handle));
      },
      py::arg("graph"), py::arg("handle"), py::pos_only(),
      "Launch such a graph on a stream; returns the status. For tests.");
  module.def(
      "rehearsal_destroy_graph",
      [=](std::uintptr_t graph) { return destroy_rehearsed_graph(pointer(graph)); },
      py::arg("graph"), py::pos_only(), "Destroy such a graph; returns the status. For tests.");
}

void add_cuda(py::module_& module) {
  module.def("count_cuda_calls", count_cuda_calls, py::arg("on"), py::pos_only(),
             "Start or stop counting calls of the CUDA runtime. For tests.");
  module.def(
      "counted_cuda_calls",
      [] {
        py::dict counts;
        for (const CountedCall& call : counted_cuda_calls()) counts[call.name] = call.count;
        return counts;
      },
      "Counted calls of the CUDA runtime, by name.");
  module.def(
      "waiting_cuda_calls",
      [] {
        py::list names;
        for (const CountedCall& call : counted_cuda_calls()) {
          if (call.may_wait) names.append(call.name);
        }
        return names;
      },
      "Names of the calls of the CUDA runtime that may wait for work of a device.");
  module.def(
      "slow_waiting_cuda_calls", slow_waiting_cuda_calls, py::arg("microseconds"), py::pos_only(),
      "Delay each of the waiting_cuda_calls by that time while calls are counted. For tests.");
  module.def("cuda_was_used", cuda_was_used,
             "Whether this process has made a CUDA call, simulated or real.");
  module.def(
      "why_no_cuda",
      []() -> py::object {
        const std::optional<CudaFailure> failure = why_no_cuda();
        if (!failure) return py::none();
        return py::make_tuple(to_string(failure->reason), failure->text);
      },
      "(reason, text) if there is no CUDA device, else None.");
  module.def("cuda_allocator", cuda_allocator,
             "The allocator of arrays: pool, system, guard or guard-front.");
  module.def(
      "cuda_versions", [] { return py::make_tuple(cuda_driver_version(), cuda_runtime_version()); },
      "Driver and runtime version as 1000 * major + 10 * minor; 0 if unknown.");
}

void add_memory(py::module_& module) {
  module.def(
      "transfers",
      [] {
        const TransferStatistics moved = transfers();
        return py::dict("host_to_device_bytes"_a = moved.host_to_device_bytes,
                        "device_to_host_bytes"_a = moved.device_to_host_bytes,
                        "device_to_device_bytes"_a = moved.device_to_device_bytes,
                        "count"_a = moved.count);
      },
      "Bytes copied between devices since the process started, by direction.");
  module.def(
      "page_locks",
      [] {
        const PageLockStatistics now = page_locks();
        return py::dict("nbytes"_a = now.nbytes, "limit"_a = now.limit,
                        "refusals"_a = now.rejections);
      },
      "Automatically page-locked host memory: nbytes, limit, refusals.");
  module.def(
      "is_pinned",
      [](const py::object& x) {
        const OperationScope scope("is_pinned");
        return is_pinned(*require_array("x", x.ptr()).memory());
      },
      py::arg("x"), py::pos_only(),
      "Whether GPUs can access the host memory of the array by its address.");
  module.def(
      "is_managed",
      [](const py::object& x) {
        const OperationScope scope("is_managed");
        return is_managed(*require_array("x", x.ptr()).memory());
      },
      py::arg("x"), py::pos_only(),
      "Whether the array, on a CUDA device, is in managed memory, which the host can access.");
  module.def(
      "is_page_locked",
      [](const py::object& x) {
        const OperationScope scope("is_page_locked");
        return is_page_locked(*require_array("x", x.ptr()).memory());
      },
      py::arg("x"), py::pos_only(),
      "Whether copies between the array, on a CPU device, and a GPU need no staging buffer.");
  module.def(
      "is_writable",
      [](const py::object& x) {
        const OperationScope scope("is_writable");
        return !require_array("x", x.ptr()).read_only();
      },
      py::arg("x"), py::pos_only(), "Whether the elements may be assigned to.");
}

}  // namespace

void add_diagnostics(py::module_& module) {
  add_tables(module);
  add_failures(module);
  add_rehearsal(module);
  add_cuda(module);
  add_memory(module);
}

}  // namespace skerry::python
