// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/errors.hpp"

namespace skerry {

const char* to_string(UnavailableReason reason) {
  switch (reason) {
    case UnavailableReason::no_driver:
      return "no_driver";
    case UnavailableReason::stub_library:
      return "stub_library";
    case UnavailableReason::driver_too_old:
      return "driver_too_old";
    case UnavailableReason::no_device:
      return "no_device";
    case UnavailableReason::no_kernel_image:
      return "no_kernel_image";
    case UnavailableReason::no_cuda_module:
      return "no_cuda_module";
    case UnavailableReason::out_of_range:
      return "out_of_range";
    case UnavailableReason::busy:
      return "busy";
    case UnavailableReason::forked:
      return "forked";
  }
  __builtin_unreachable();
}

}  // namespace skerry
