// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

// NVIDIA's libraries, opened at first use: the module links to none of them, so that it works for
// all else where they are not installed.

#define SKERRY_TEXT_OF(x) #x
#define SKERRY_TEXT(x) SKERRY_TEXT_OF(x)

namespace skerry::native {

/// A library that is open, or why it isn't. Never closed.
class SharedLibrary {
 public:
  /// `versioned`: "libcublas.so.13"; `plain`: "libcublas.so".
  SharedLibrary(const char* versioned, const char* plain) {
    // By its bare name first: that is also how one is found that this process has loaded already.
    for (const std::string& folder : folders(plain)) {
      handle_ = dlopen((folder + versioned).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ == nullptr && problem_.empty()) note_problem();
      if (handle_ != nullptr) break;
    }
    if (handle_ != nullptr) problem_.clear();  // of the places before
  }

  /// Sets `to` to the function; remembers the first one that is missing, unless it is `optional`.
  template <class F>
  void find(const char* name, F& to, bool optional = false) {
    if (handle_ == nullptr) return;
    to = reinterpret_cast<F>(dlsym(handle_, name));
    if (to == nullptr && !optional && problem_.empty()) {
      problem_ = std::string("it lacks the function ") + name;
      is_incomplete_ = true;
    }
  }

  /// Null if it can be used.
  [[nodiscard]] const char* problem() const {
    return handle_ != nullptr && !is_incomplete_ ? nullptr : problem_.c_str();
  }

 private:
  /// Where the loader looks, the packages of pip beside this one (all of CUDA 13 in one folder, one
  /// for each library before), the toolkit.
  static std::vector<std::string> folders(const std::string& plain) {
    const std::string major = std::to_string(CUDART_VERSION / 1000);
    const std::string name = plain.substr(3, plain.find('.') - 3);  // "cublas" of "libcublas.so"
    const char* home = std::getenv("CUDA_HOME");
    std::vector<std::string> all{""};
    if (const std::string packages = site_packages(); !packages.empty()) {
      all.push_back(packages + "/nvidia/cu" + major + "/lib/");
      all.push_back(packages + "/nvidia/" + name + "/lib/");
    }
    all.push_back(std::string(home != nullptr ? home : "/usr/local/cuda") + "/lib64/");
    return all;
  }

  /// The folder that holds the package that holds this module.
  static std::string site_packages() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&site_packages), &here) == 0) return "";
    const std::string path = here.dli_fname;
    const std::size_t module = path.rfind('/');
    const std::size_t package = module == std::string::npos ? module : path.rfind('/', module - 1);
    return package == std::string::npos ? "" : path.substr(0, package);
  }

  void note_problem() {
    const char* text = dlerror();
    problem_ = text != nullptr ? text : "unknown reason";
  }

  void* handle_ = nullptr;
  bool is_incomplete_ = false;
  std::string problem_;
};

/// One handle of a library for each device; whoever uses one holds the lock, since a handle has one
/// stream at a time.
template <class Handle>
class Handles {
 public:
  /// The handle of the current device; null where `create` fails.
  template <class Create>
  Handle of_current_device(Create&& create) {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= most_devices) return nullptr;
    if (made_[device] == nullptr && !create(&made_[device])) made_[device] = nullptr;
    return made_[device];
  }
  std::mutex& lock() { return lock_; }

 private:
  static constexpr int most_devices = 64;
  std::mutex lock_;
  Handle made_[most_devices] = {};
};

}  // namespace skerry::native
