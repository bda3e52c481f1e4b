// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/module.hpp"

#include <dlfcn.h>

namespace skerry::cuda {

std::string path_next_to_this_library(const char* file) {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&path_next_to_this_library), &here) == 0) return {};
  const std::string self = here.dli_fname != nullptr ? here.dli_fname : "";
  const auto slash = self.rfind('/');
  return (slash == std::string::npos ? "./" : self.substr(0, slash + 1)) + file;
}

const ModuleInterface* open_module(const std::vector<std::string>& paths, std::string& complaint) {
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* reason = dlerror();
      complaint += std::string(complaint.empty() ? "" : "; ") + (reason != nullptr ? reason : path);
      continue;
    }
    const auto ask =
        reinterpret_cast<decltype(&skerry_cuda_module)>(dlsym(library, "skerry_cuda_module"));
    const ModuleInterface* module = ask != nullptr ? ask(module_abi_version) : nullptr;
    if (module != nullptr) return module;
    complaint +=
        (complaint.empty() ? "" : "; ") + path + " was built for another version of skerry";
    dlclose(library);
  }
  return nullptr;
}

}  // namespace skerry::cuda
