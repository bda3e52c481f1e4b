// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/cuda/image_cache.hpp"

#include "device/environment.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

namespace skerry::native {
namespace {

namespace files = std::filesystem;

constexpr std::uintmax_t max_bytes = std::uintmax_t{64} << 20;
constexpr std::string_view ending = ".kernel";
constexpr unsigned long first_hash = 0xcbf29ce484222325;

/// Returns the folder, and creates it if necessary. Empty unless only this user can access it,
/// since the files in it are executed.
files::path usable_folder() {
  files::path folder;
  const char* const selected = environment_text("SKERRY_KERNEL_CACHE");
  const char* const caches = std::getenv("XDG_CACHE_HOME");
  const char* const user_directory = std::getenv("HOME");
  if (selected != nullptr) {
    folder = std::string_view(selected) == "0" ? "" : selected;
  } else if (caches != nullptr && *caches == '/') {
    folder = files::path(caches) / "skerry";
  } else if (user_directory != nullptr && *user_directory == '/') {
    folder = files::path(user_directory) / ".cache" / "skerry";
  }
  if (folder.empty()) return folder;
  std::error_code ignored;
  files::create_directories(folder.parent_path(), ignored);
  static_cast<void>(mkdir(folder.c_str(), 0700));
  struct stat status{};
  const bool is_own = lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  return is_own ? folder : files::path();
}

std::string name_of(std::string_view text) {
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "%016lx%016lx", hash_of(text, first_hash),
                hash_of(text, ~first_hash));
  return std::string(name.data()).append(ending);
}

/// Returns the header of an image, with a checksum that detects damaged files.
std::string mark_of(std::string_view text, std::string_view image) {
  std::array<char, 24> check{};
  std::snprintf(check.data(), check.size(), "%016lx", hash_of(image, hash_of(text, first_hash)));
  return std::string("skerry kernel 1 ").append(check.data()).append("\n").append(text) + '\0';
}

/// If the files exceed the capacity, removes the oldest ones until a quarter of it is free.
void remove_oldest(const files::path& folder) {
  struct KnownImage {
    files::file_time_type time;
    std::uintmax_t nbytes;
    files::path path;
  };
  std::vector<KnownImage> all;
  std::uintmax_t sum = 0;
  for (const auto& entry : files::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    all.push_back({entry.last_write_time(), entry.file_size(), entry.path()});
    sum += all.back().nbytes;
  }
  if (sum <= max_bytes) return;
  std::ranges::sort(all, {}, &KnownImage::time);
  for (const KnownImage& image : all) {
    if (sum <= max_bytes / 4 * 3) return;
    std::error_code ignored;
    if (files::remove(image.path, ignored)) sum -= image.nbytes;
  }
}

}  // namespace

unsigned long hash_of(std::string_view bytes, unsigned long seed) noexcept {
  for (const char byte : bytes) seed = (seed ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return seed;
}

std::string read_image(std::string_view text) {
  const files::path folder = usable_folder();
  if (folder.empty()) return {};
  const files::path path = folder / name_of(text);
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t begin = mark_of(text, "").size();
  const std::string image = all.substr(std::min(begin, all.size()));
  if (all.size() <= begin || !all.starts_with(mark_of(text, image))) return {};
  std::error_code ignored;
  files::last_write_time(path, files::file_time_type::clock::now(), ignored);
  return image;
}

void write_image(std::string_view text, std::string_view image) noexcept {
  try {
    const files::path folder = usable_folder();
    if (folder.empty() || image.size() > max_bytes / 4) return;
    std::string unfinished = folder / ".XXXXXX";
    const int descriptor = mkstemp(unfinished.data());  // of mode 0600
    if (descriptor < 0) return;
    close(descriptor);
    std::ofstream file(unfinished, std::ios::binary);
    file << mark_of(text, image) << image << std::flush;
    std::error_code error;
    if (file.good()) files::rename(unfinished, folder / name_of(text), error);
    if (!file.good() || error) files::remove(unfinished, error);
    remove_oldest(folder);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the cache is optional
  }
}

}  // namespace skerry::native
