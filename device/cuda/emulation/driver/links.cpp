// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// cuLink*: PTX and what holds PTX are put behind each other; a machine that runs PTX has nothing to
// translate.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/ptx/module_source.hpp"

namespace skerry::emulation::driver {

namespace {

/// CUjitInputType
enum class input : int { cubin = 0, ptx = 1, fat_binary = 2, object = 3, archive = 4 };

struct linked_text {
  std::string text;
  std::string complete;  ///< what the caller was given
};

struct all_links {
  std::mutex mutex;
  std::unordered_map<void*, std::unique_ptr<linked_text>> links;
};

all_links& links() noexcept {
  static auto* const all = new all_links;  // programs may call while the process ends
  return *all;
}

template <class Body>
int with_link(void* state, Body body) noexcept {
  return answer([&]() -> int {
    all_links& all = links();
    const std::lock_guard lock(all.mutex);
    const auto found = all.links.find(state);
    return found != all.links.end() ? body(*found->second) : code::invalid_handle;
  });
}

/// Without the directives that a module has once, which those of the first piece are.
std::string without_head(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const bool is_head = line.starts_with(".version") || line.starts_with(".target") ||
                         line.starts_with(".address_size");
    if (!is_head) kept += line;
    text.remove_prefix(end);
  }
  return kept;
}

int add(linked_text& into, input kind, std::span<const std::byte> image) {
  if (kind == input::object || kind == input::archive) {
    return unsupported("cuLink of an object or an archive");
  }
  const std::string_view text =
      ptx::text_of(image, current_emulator_settings().model.compute_capability);
  into.text += into.text.empty() ? std::string(text) : without_head(text);
  into.text += '\n';
  return code::success;
}

}  // namespace

int link_create(unsigned, const int*, void**, void** state) {
  return in_context([&]() -> int {
    if (has_null(state)) return code::invalid_value;
    auto fresh = std::make_unique<linked_text>();
    *state = fresh.get();
    all_links& all = links();
    const std::lock_guard lock(all.mutex);
    all.links.emplace(*state, std::move(fresh));
    return code::success;
  });
}

int link_add(void* state, int kind, void* data, std::size_t nbytes, const char*, unsigned,
             const int*, void**) {
  return with_link(state, [&](linked_text& into) -> int {
    if (has_null(data)) return code::invalid_value;
    return add(into, static_cast<input>(kind), {static_cast<const std::byte*>(data), nbytes});
  });
}

int link_add_file(void* state, int kind, const char* path, unsigned, const int*, void**) {
  return with_link(state, [&](linked_text& into) -> int {
    if (has_null(path)) return code::invalid_value;
    std::ifstream file(path, std::ios::binary);
    if (!file) return code::file_not_found;
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return add(into, static_cast<input>(kind), std::as_bytes(std::span(bytes)));
  });
}

int link_complete(void* state, void** image, std::size_t* nbytes) {
  return with_link(state, [&](linked_text& of) -> int {
    if (has_null(image)) return code::invalid_value;
    of.complete = of.text;
    *image = of.complete.data();
    if (nbytes != nullptr) *nbytes = of.complete.size() + 1;  // with the zero at its end
    return code::success;
  });
}

int link_destroy(void* state) {
  return answer([&] {
    all_links& all = links();
    const std::lock_guard lock(all.mutex);
    return all.links.erase(state) == 1 ? code::success : code::invalid_handle;
  });
}

}  // namespace skerry::emulation::driver
