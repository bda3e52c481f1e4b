// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/emulator/linkers/ptx_link.hpp"
#include "device/emulator/linkers/real_library.hpp"

// nvJitLink's functions. CMake adds a versioned name of each for every version of the library.

namespace skerry::emulation::linkers {
namespace {

/// Calls `call` and returns its result, or internal_error if it throws. Returns null_input without
/// the call if `is_handed` is false: the caller passes whether all required arguments are not null.
template <class Call>
[[nodiscard]] int guarded(bool is_handed, Call&& call) noexcept {
  if (!is_handed) return link_result::null_input;
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    return link_result::internal_error;
  }
}

[[nodiscard]] int put(const std::string& text, std::size_t* nbytes) noexcept {
  *nbytes = text.size() + 1;
  return link_result::success;
}

[[nodiscard]] int put(const std::string& text, void* output) noexcept {
  std::memcpy(output, text.c_str(), text.size() + 1);
  return link_result::success;
}

/// Calls a query of NVIDIA's library with the handle of the real link.
template <class Result>
[[nodiscard]] int ask(const char* name, const PtxLink& link, Result* output) noexcept {
  auto* const function = real<int(void*, Result*)>(name);
  return function == nullptr ? link_result::internal_error : function(link.real_handle(), output);
}

}  // namespace
}  // namespace skerry::emulation::linkers

// The functions below have C linkage and are defined outside the namespace.
using namespace skerry::emulation::linkers;  // NOLINT(*-using-namespace*)

SKERRY_LINKER_EXPORT int nvJitLinkVersion(unsigned* major, unsigned* minor) noexcept {
  auto* const function = real<int(unsigned*, unsigned*)>("nvJitLinkVersion");
  return function == nullptr ? link_result::internal_error : function(major, minor);
}

SKERRY_LINKER_EXPORT int nvJitLinkCreate(PtxLink** handle, std::uint32_t count,
                                         const char** options) noexcept {
  return guarded(handle != nullptr, [&] {
    auto link = std::make_unique<PtxLink>(std::vector<std::string>(options, options + count));
    const int result = link->create();
    if (result == link_result::success) *handle = link.release();
    return result;
  });
}

SKERRY_LINKER_EXPORT int nvJitLinkDestroy(PtxLink** handle) noexcept {
  return guarded(handle != nullptr, [&] {
    delete std::exchange(*handle, nullptr);
    return link_result::success;
  });
}

SKERRY_LINKER_EXPORT int nvJitLinkAddData(PtxLink* link, int type, const void* data,
                                          std::size_t nbytes, const char* name) noexcept {
  return guarded(link != nullptr && data != nullptr, [&] {
    return link->add({.type = type,
                      .name = name == nullptr ? "input" : name,
                      .data = std::string(static_cast<const char*>(data), nbytes)});
  });
}

SKERRY_LINKER_EXPORT int nvJitLinkAddFile(PtxLink* link, int type, const char* path) noexcept {
  return guarded(link != nullptr && path != nullptr, [&] {
    std::ifstream file(path, std::ios::binary);
    if (!file) return link_result::invalid_input;
    return link->add({.type = type,
                      .name = path,
                      .data = std::string(std::istreambuf_iterator<char>(file), {})});
  });
}

SKERRY_LINKER_EXPORT int nvJitLinkComplete(PtxLink* link) noexcept {
  return guarded(link != nullptr, [&] { return link->complete(); });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetLinkedCubinSize(PtxLink* link, std::size_t* size) noexcept {
  return guarded(link != nullptr, [&] {
    return link->image().empty() ? link_result::internal_error : put(link->image(), size);
  });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetLinkedCubin(PtxLink* link, void* cubin) noexcept {
  return guarded(link != nullptr, [&] {
    return link->image().empty() ? link_result::internal_error : put(link->image(), cubin);
  });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetLinkedPtxSize(PtxLink* link, std::size_t* size) noexcept {
  return guarded(link != nullptr, [&] {
    if (!link->asks_for_ptx()) return link_result::internal_error;
    return ask("nvJitLinkGetLinkedPtxSize", *link, size);
  });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetLinkedPtx(PtxLink* link, char* ptx) noexcept {
  return guarded(link != nullptr, [&] {
    if (!link->asks_for_ptx()) return link_result::internal_error;
    return ask("nvJitLinkGetLinkedPtx", *link, ptx);
  });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetLinkedLTOIRSize(PtxLink* link, std::size_t* size) noexcept {
  return guarded(link != nullptr, [&] { return ask("nvJitLinkGetLinkedLTOIRSize", *link, size); });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetLinkedLTOIR(PtxLink* link, void* ltoir) noexcept {
  return guarded(link != nullptr, [&] { return ask("nvJitLinkGetLinkedLTOIR", *link, ltoir); });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetErrorLogSize(PtxLink* link, std::size_t* size) noexcept {
  return guarded(link != nullptr, [&] { return put(link->error_log(), size); });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetErrorLog(PtxLink* link, char* log) noexcept {
  return guarded(link != nullptr, [&] { return put(link->error_log(), static_cast<void*>(log)); });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetInfoLogSize(PtxLink* link, std::size_t* size) noexcept {
  return guarded(link != nullptr, [&] { return put(link->info_log(), size); });
}

SKERRY_LINKER_EXPORT int nvJitLinkGetInfoLog(PtxLink* link, char* log) noexcept {
  return guarded(link != nullptr, [&] { return put(link->info_log(), static_cast<void*>(log)); });
}
