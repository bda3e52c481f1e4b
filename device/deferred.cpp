// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/deferred.hpp"

#include "device/backend.hpp"

namespace skerry {

DeferredWord::DeferredWord(Device device, const DeferredError& error)
    : device_(device), word_(backend_of(device).deferred.add(device, error)) {}

DeferredWord::~DeferredWord() { backend_of(device_).deferred.close(device_, word_); }

}  // namespace skerry
