// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// cuLink*: joins PTX, and the PTX in other images, into one module and resolves names between them,
// like a linker. Nothing is compiled, as the emulator runs PTX.

#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/libraries.hpp"
#include "device/emulator/linkers/link_input.hpp"
#include "device/emulator/ptx/joined_modules.hpp"

namespace skerry::emulation::driver {

namespace {

/// CU_JIT_INPUT_LIBRARY: the last CUjitInputType that may contain PTX.
constexpr int archive_input = 4;

struct LinkText {
  std::string name;
  std::string text;
};

struct LinkInProgress {
  std::deque<LinkText> texts;
  std::string complete;  ///< linked module, returned to the caller
  std::vector<int> option_names;
  std::vector<void*> option_values;

  [[nodiscard]] ImageOptions options() noexcept { return {option_names, option_values.data()}; }
};

struct AllLinks {
  std::mutex mutex;
  std::unordered_map<void*, std::unique_ptr<LinkInProgress>> links;
};

AllLinks& links() noexcept {
  static auto* const all = new AllLinks;  // leaked: may be used during process exit
  return *all;
}

template <class Body>
int with_link(void* state, Body body) noexcept {
  return run_entry_point([&]() -> int {
    AllLinks& all = links();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.links.find(state);
    return entry != all.links.end() ? body(*entry->second) : code::invalid_handle;
  });
}

/// Runs `body`. Copies the text of an ImageError to the caller's CU_JIT_ERROR_LOG_BUFFER, and
/// rethrows it.
template <class Body>
int with_log(LinkInProgress& link, Body body) {
  try {
    return body();
  } catch (const ImageError& error) {
    write_error_log(link.options(), std::string("error   : ") + error.what());
    throw;
  }
}

int add(LinkInProgress& link, int kind, const char* name, std::string bytes) {
  if (kind < 0) return code::invalid_value;
  if (kind > archive_input) return unsupported("linking LTO-IR (cuLinkAddData, cuLinkAddFile)");
  const linkers::LinkInput input{linkers::input_type::any, name != nullptr ? name : "<unnamed>",
                                 std::move(bytes)};
  // The executor implements the device runtime (grid barriers and the like) itself.
  if (linkers::is_device_runtime(input)) return code::success;
  return with_log(link, [&] {
    const int capability = current_emulator_settings().model.compute_capability;
    for (std::string& text : linkers::ptx_in(input, capability)) {
      link.texts.push_back({input.name, std::move(text)});
    }
    return code::success;
  });
}

/// Returns the joined module. Decodes its kernels, so that undefined names are errors here, as with
/// a linker.
std::string joined(const LinkInProgress& link) {
  std::vector<ptx::LinkPart> parts;
  parts.reserve(link.texts.size());
  for (const LinkText& link_text : link.texts) parts.push_back({link_text.name, link_text.text});
  std::string text = ptx::join_modules(parts);
  const auto linked = Module::load(std::as_bytes(std::span(text)),
                                   current_emulator_settings().model.compute_capability);
  for (const auto& kernel : linked->kernels()) static_cast<void>(kernel->decoded());
  return text;
}

}  // namespace

int link_create(unsigned count, const int* options, void** values, void** state) {
  return in_context([&]() -> int {
    if (has_null(state) || (count != 0 && has_null(options, values))) return code::invalid_value;
    auto new_link = std::make_unique<LinkInProgress>();
    if (count != 0) {
      new_link->option_names.assign(options, options + count);
      new_link->option_values.assign(values, values + count);
    }
    *state = new_link.get();
    AllLinks& all = links();
    const std::lock_guard lock(all.mutex);
    all.links.emplace(*state, std::move(new_link));
    return code::success;
  });
}

int link_add(void* state, int kind, void* data, std::size_t nbytes, const char* name, unsigned,
             const int*, void**) {
  return with_link(state, [&](LinkInProgress& link) -> int {
    if (has_null(data)) return code::invalid_value;
    return add(link, kind, name, std::string(static_cast<const char*>(data), nbytes));
  });
}

int link_add_file(void* state, int kind, const char* path, unsigned, const int*, void**) {
  return with_link(state, [&](LinkInProgress& link) -> int {
    if (has_null(path)) return code::invalid_value;
    std::ifstream file(path, std::ios::binary);
    if (!file) return code::file_not_found;
    return add(link, kind, path, {std::istreambuf_iterator<char>(file), {}});
  });
}

int link_complete(void* state, void** image, std::size_t* nbytes) {
  return with_link(state, [&](LinkInProgress& link) -> int {
    if (has_null(image)) return code::invalid_value;
    return with_log(link, [&] {
      link.complete = joined(link);
      *image = link.complete.data();
      if (nbytes != nullptr) *nbytes = link.complete.size() + 1;  // with the terminating zero
      return code::success;
    });
  });
}

int link_destroy(void* state) {
  return run_entry_point([&] {
    AllLinks& all = links();
    const std::lock_guard lock(all.mutex);
    return all.links.erase(state) == 1 ? code::success : code::invalid_handle;
  });
}

}  // namespace skerry::emulation::driver
