// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// What the package skerry_emulator calls: the table of functions for CuPy.

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/emulator/cupy/functions.hpp"
#include "device/emulator/cupy/host_calls.hpp"

namespace skerry::emulation::cupy {

namespace {

using std::intptr_t;
using std::size_t;
using Object = PyObject*;

std::vector<Entry> device_entries() {
  namespace calls = entry_points;
  return {
      Row<Object(int)>::entry("check_status", check_status),
      {"_ensure_context", "PyObject *(void)", reinterpret_cast<void*>(&ensure_context_of_cupy)},
      Row<int()>::entry("_getCUDAMajorVersion", cuda_major_version),
      Row<int()>::adapt<calls::driver_version>("driverGetVersion"),
      Row<int()>::adapt<calls::runtime_version>("runtimeGetVersion"),
      Row<int()>::adapt<calls::get_device>("getDevice"),
      Row<Object(int)>::adapt<calls::set_device>("setDevice"),
      Row<int()>::adapt<calls::device_count>("getDeviceCount"),
      Row<int(int, int)>::adapt<calls::get_device_attribute>("deviceGetAttribute"),
      Row<Object(int)>::entry("getDeviceProperties", device_properties),
      Row<Object()>::adapt<calls::device_synchronize>("deviceSynchronize"),
      Row<int(int, int)>::adapt<calls::can_access_peer>("deviceCanAccessPeer"),
      Row<Object(int)>::entry("_deviceEnsurePeerAccess", ensure_peer_access),
      Row<Object(int)>::adapt<enable_peer_access>("deviceEnablePeerAccess"),
      Row<Object(int)>::adapt<runtime::disable_peer>("deviceDisablePeerAccess"),
      Row<size_t(int)>::adapt<driver::context_get_limit, -1>("deviceGetLimit"),
      Row<Object(int, size_t)>::adapt<driver::context_set_limit>("deviceSetLimit"),
      Row<Object(int)>::entry("deviceGetPCIBusId", device_bus_id),
      Row<int(Object)>::entry("deviceGetByPCIBusId", device_by_bus_id),
      Row<Object()>::adapt<driver::profiler_start>("profilerStart"),
      Row<Object()>::adapt<driver::profiler_stop>("profilerStop"),
  };
}

std::vector<Entry> memory_entries() {
  namespace calls = entry_points;
  return {
      Row<intptr_t(size_t)>::adapt<calls::allocate>("malloc"),
      Row<intptr_t(size_t)>::entry_with_option("mallocManaged", allocate_managed),
      Row<intptr_t(size_t, intptr_t)>::adapt<runtime::allocate_async>("mallocAsync"),
      Row<intptr_t(size_t, intptr_t, intptr_t)>::adapt<allocate_from_pool>("mallocFromPoolAsync"),
      Row<intptr_t(size_t, unsigned)>::adapt<runtime::allocate_host_with>("hostAlloc"),
      Row<Object(intptr_t, size_t, unsigned)>::adapt<calls::host_register>("hostRegister"),
      Row<Object(intptr_t)>::adapt<calls::host_unregister>("hostUnregister"),
      Row<Object(intptr_t)>::adapt<runtime::free_memory>("free"),
      Row<Object(intptr_t)>::adapt<runtime::free_host>("freeHost"),
      Row<Object(intptr_t, intptr_t)>::adapt<runtime::free_async>("freeAsync"),
      Row<Object()>::entry("memGetInfo", memory_info),
      Row<Object(intptr_t, intptr_t, size_t, int)>::adapt<calls::copy>("memcpy"),
      Row<Object(intptr_t, intptr_t, size_t, int, intptr_t)>::adapt<runtime::copy_in_stream>(
          "memcpyAsync"),
      Row<Object(intptr_t, int, intptr_t, int, size_t)>::entry("memcpyPeer", copy_peer),
      Row<Object(intptr_t, int, intptr_t, int, size_t, intptr_t)>::adapt<calls::copy_peer_async>(
          "memcpyPeerAsync"),
      Row<Object(intptr_t, int, size_t)>::adapt<runtime::fill_now>("memset"),
      Row<Object(intptr_t, int, size_t, intptr_t)>::adapt<runtime::fill_in_stream>("memsetAsync"),
      Row<Object(intptr_t, size_t, int, intptr_t)>::adapt<prefetch>("memPrefetchAsync"),
      Row<Object(intptr_t, size_t, int, int)>::adapt<advise>("memAdvise"),
      Row<PointerAttributesObject*(intptr_t)>::entry("pointerGetAttributes", pointer_attributes),
      Row<int(intptr_t)>::entry("pointerGetMemoryType", memory_type),
      Row<intptr_t(int)>::adapt<calls::get_default_pool>("deviceGetDefaultMemPool"),
      Row<intptr_t(int)>::adapt<driver::pool_get_current>("deviceGetMemPool"),
      Row<Object(int, intptr_t)>::adapt<driver::pool_set_current>("deviceSetMemPool"),
      Row<intptr_t(MemPoolPropsObject*)>::entry("memPoolCreate", create_pool),
      Row<Object(intptr_t)>::adapt<driver::pool_destroy>("memPoolDestroy"),
      Row<Object(intptr_t, size_t)>::adapt<calls::trim_pool>("memPoolTrimTo"),
      Row<Object(intptr_t, int)>::entry("memPoolGetAttribute", pool_attribute),
      Row<Object(intptr_t, int, Object)>::entry("memPoolSetAttribute", set_pool_attribute),
  };
}

std::vector<Entry> stream_entries() {
  namespace calls = entry_points;
  return {
      Row<intptr_t()>::adapt<runtime::create_stream>("streamCreate"),
      Row<intptr_t(unsigned)>::adapt<calls::stream_create>("streamCreateWithFlags"),
      Row<intptr_t(unsigned, int)>::adapt<runtime::create_stream_with_priority>(
          "streamCreateWithPriority"),
      Row<unsigned(intptr_t)>::adapt<stream_flags>("streamGetFlags"),
      Row<int(intptr_t)>::adapt<stream_priority, 0>("streamGetPriority"),
      Row<Object(intptr_t)>::adapt<calls::stream_destroy>("streamDestroy"),
      Row<Object(intptr_t)>::adapt<runtime::wait_for_stream>("streamSynchronize"),
      Row<Object(intptr_t)>::entry("streamQuery", stream_query),
      Row<Object(intptr_t, intptr_t)>::entry_with_option("streamWaitEvent", stream_wait_event),
      Row<Object(intptr_t, Object, intptr_t)>::entry_with_option("streamAddCallback",
                                                                 stream_add_callback),
      Row<Object(intptr_t, Object, intptr_t)>::entry("launchHostFunc", launch_host_function),
      Row<Object(intptr_t, Object)>::entry("_launchHostFuncUnmanaged",
                                           launch_unmanaged_host_function),
      Row<Object(intptr_t)>::entry_with_option("streamBeginCapture", stream_begin_capture),
      Row<intptr_t(intptr_t)>::adapt<stream_end_capture>("streamEndCapture"),
      Row<int(intptr_t)>::adapt<stream_is_capturing>("streamIsCapturing"),
      Row<intptr_t()>::adapt<calls::event_create>("eventCreate"),
      Row<intptr_t(unsigned)>::adapt<calls::event_create_with_flags>("eventCreateWithFlags"),
      Row<Object(intptr_t)>::adapt<calls::event_destroy>("eventDestroy"),
      Row<float(intptr_t, intptr_t)>::adapt<calls::event_elapsed>("eventElapsedTime"),
      Row<Object(intptr_t)>::entry("eventQuery", event_query),
      Row<Object(intptr_t, intptr_t)>::adapt<runtime::record_event>("eventRecord"),
      Row<Object(intptr_t)>::adapt<calls::event_synchronize>("eventSynchronize"),
      Row<Object(intptr_t)>::adapt<runtime::destroy_graph>("graphDestroy"),
      Row<Object(intptr_t)>::adapt<runtime::destroy_executable>("graphExecDestroy"),
      Row<intptr_t(intptr_t)>::entry("graphInstantiate", instantiate_graph),
      Row<Object(intptr_t, intptr_t)>::adapt<runtime::launch_graph>("graphLaunch"),
      Row<Object(intptr_t, intptr_t)>::adapt<runtime::upload_graph>("graphUpload"),
  };
}

const Entry* find_entry(const char* name) {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all = device_entries();
    for (const auto& more : {memory_entries(), stream_entries()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  const auto match = std::ranges::find(entries, name, &Entry::name);
  return match != entries.end() ? &*match : nullptr;
}

/// The number of rejections of each kind: CuPy's table has fewer functions that are missing here.
constexpr size_t max_rejections = 64;
std::vector<std::string>& rejected_names() {
  static std::vector<std::string> names;
  return names;
}

/// Raises NotImplementedError for the rejected function of that index.
template <size_t index, class Result, auto failed>
Result reject() {
  PyErr_Format(PyExc_NotImplementedError, "cupy.cuda.runtime.%s: not supported on the emulated GPU",
               rejected_names()[index].c_str());
  return static_cast<Result>(failed);
}

template <class Result, auto failed, size_t... indices>
void* rejection_at(size_t index, std::index_sequence<indices...>) {
  static constexpr Result (*functions[])() = {&reject<indices, Result, failed>...};
  return reinterpret_cast<void*>(functions[index]);
}

}  // namespace

}  // namespace skerry::emulation::cupy

#define SKERRY_CUPY extern "C" __attribute__((visibility("default")))

SKERRY_CUPY void skerry_cupy_start(PyObject* make_error, PyObject* make_attributes,
                                   PyObject* device_properties, PyObject* launch_generator,
                                   std::size_t object_nbytes) {
  for (PyObject* const object : {make_error, make_attributes, device_properties, launch_generator})
    Py_IncRef(object);
  skerry::emulation::cupy::python_objects() = {make_error, make_attributes, device_properties,
                                               launch_generator, object_nbytes};
}

/// Returns the signature of a function, or null if there is none of that name.
SKERRY_CUPY const char* skerry_cupy_signature(const char* name) {
  const auto* const entry = skerry::emulation::cupy::find_entry(name);
  return entry != nullptr ? entry->signature.c_str() : nullptr;
}

/// Returns the address of a function, or null if there is none of that name.
SKERRY_CUPY void* skerry_cupy_function(const char* name) {
  const auto* const entry = skerry::emulation::cupy::find_entry(name);
  return entry != nullptr ? entry->address : nullptr;
}

/// Returns the address of a function that raises NotImplementedError and returns -1 or 0; null if
/// there are no more.
SKERRY_CUPY void* skerry_cupy_rejection(const char* name, int returns_int) {
  namespace cupy = skerry::emulation::cupy;
  constexpr std::make_index_sequence<cupy::max_rejections> indices;
  std::vector<std::string>& names = cupy::rejected_names();
  const std::size_t index = names.size();
  if (index == cupy::max_rejections) return nullptr;
  names.emplace_back(name);
  return returns_int != 0 ? cupy::rejection_at<int, -1>(index, indices)
                          : cupy::rejection_at<std::intptr_t, 0>(index, indices);
}
