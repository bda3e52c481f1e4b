// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/deferred.hpp"

#include "device/backend.hpp"

namespace skerry {

DeferredWord::DeferredWord(Device where, const DeferredError& error)
    : where_(where), word_(backend_of(where).deferred.add(where, error)) {}

DeferredWord::~DeferredWord() { backend_of(where_).deferred.close(where_, word_); }

}  // namespace skerry
