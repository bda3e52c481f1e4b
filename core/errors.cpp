// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/errors.hpp"

namespace skerry {

const char* to_string(unavailable_reason reason) {
  switch (reason) {
    case unavailable_reason::no_driver:
      return "no_driver";
    case unavailable_reason::stub_library:
      return "stub_library";
    case unavailable_reason::driver_too_old:
      return "driver_too_old";
    case unavailable_reason::no_device:
      return "no_device";
    case unavailable_reason::no_kernel_image:
      return "no_kernel_image";
    case unavailable_reason::no_cuda_module:
      return "no_cuda_module";
    case unavailable_reason::out_of_range:
      return "out_of_range";
    case unavailable_reason::busy:
      return "busy";
    case unavailable_reason::forked:
      return "forked";
  }
  __builtin_unreachable();
}

}  // namespace skerry
