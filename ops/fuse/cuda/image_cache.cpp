// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/cuda/image_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

namespace skerry::native {
namespace {

namespace files = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;
constexpr unsigned long first_hash = 0xcbf29ce484222325;
constexpr unsigned long second_hash = 0x9e3779b97f4a7c15;
constexpr std::string_view ending = ".kernel";

/// In front of the text and the image.
struct header {
  char magic[8] = {'s', 'k', 'e', 'r', 'r', 'y', 'K', '1'};
  std::uint64_t text_bytes = 0;
  std::uint64_t image_bytes = 0;
  std::uint64_t check = 0;
};

/// Empty where there is none to be used.
files::path chosen_folder() {
  if (const char* chosen = std::getenv("SKERRY_KERNEL_CACHE")) {
    return std::string_view(chosen) == "0" ? "" : chosen;
  }
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return files::path(cache) / "skerry";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? files::path(home) / ".cache" / "skerry" : "";
}

/// Whether nobody else can write there, as what is read is run. It is made where it isn't there.
bool is_own(const files::path& folder) {
  std::error_code ignored;
  files::create_directories(folder.parent_path(), ignored);
  static_cast<void>(mkdir(folder.c_str(), 0700));
  struct stat found{};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == geteuid() && (found.st_mode & 077) == 0;
}

files::path usable_folder() {
  files::path folder = chosen_folder();
  return !folder.empty() && is_own(folder) ? folder : "";
}

std::string name_of(std::string_view text) {
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "%016lx%016lx", hash_of(text, first_hash),
                hash_of(text, second_hash));
  return std::string(name.data()).append(ending);
}

unsigned long check_of(std::string_view text, std::string_view image) {
  return hash_of(image, hash_of(text, first_hash));
}

/// The oldest files go until there is a quarter of room.
void remove_oldest(const files::path& folder) {
  struct known {
    files::file_time_type time;
    std::uintmax_t nbytes;
    files::path path;
  };
  std::vector<known> all;
  std::uintmax_t sum = 0;
  for (const auto& each : files::directory_iterator(folder)) {
    if (!each.is_regular_file()) continue;
    all.push_back({each.last_write_time(), each.file_size(), each.path()});
    sum += all.back().nbytes;
  }
  if (sum <= most_bytes) return;
  std::ranges::sort(all, {}, &known::time);
  for (const known& each : all) {
    if (sum <= most_bytes / 4 * 3) return;
    std::error_code ignored;
    if (files::remove(each.path, ignored)) sum -= each.nbytes;
  }
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(file, bytes.data(), bytes.size());
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace

unsigned long hash_of(std::string_view bytes, unsigned long from) noexcept {
  for (const char each : bytes) from = (from ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return from;
}

std::string read_image(std::string_view text) {
  const files::path folder = usable_folder();
  if (folder.empty()) return {};
  const files::path path = folder / name_of(text);
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  header found;
  if (all.size() < sizeof found) return {};
  std::memcpy(&found, all.data(), sizeof found);
  const std::string_view rest = std::string_view(all).substr(sizeof found);
  const std::string_view image = rest.substr(std::min(rest.size(), text.size()));
  const bool is_good = std::memcmp(found.magic, header{}.magic, sizeof found.magic) == 0 &&
                       found.text_bytes == text.size() && found.image_bytes == image.size() &&
                       rest.starts_with(text) && found.check == check_of(text, image);
  if (!is_good) return {};
  std::error_code ignored;
  files::last_write_time(path, files::file_time_type::clock::now(), ignored);
  return std::string(image);
}

void write_image(std::string_view text, std::string_view image) noexcept {
  try {
    const files::path folder = usable_folder();
    if (folder.empty() || image.size() > most_bytes / 4) return;
    header of;
    of.text_bytes = text.size();
    of.image_bytes = image.size();
    of.check = check_of(text, image);
    std::string unfinished = folder / ".XXXXXX";
    const int file = mkstemp(unfinished.data());  // of mode 0600
    if (file < 0) return;
    const bool is_whole = write_all(file, {reinterpret_cast<const char*>(&of), sizeof of}) &&
                          write_all(file, text) && write_all(file, image);
    const bool is_closed = close(file) == 0;
    std::error_code problem;
    if (is_whole && is_closed) files::rename(unfinished, folder / name_of(text), problem);
    if (!is_whole || !is_closed || problem) files::remove(unfinished, problem);
    remove_oldest(folder);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a cache that can't be kept is none
  }
}

}  // namespace skerry::native
