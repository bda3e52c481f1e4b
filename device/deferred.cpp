// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/deferred.hpp"

#include "device/backend.hpp"

namespace skerry {

deferred_word::deferred_word(device where, const deferred_error& error)
    : where_(where), word_(backend_of(where).deferred.add(where, error)) {}

deferred_word::~deferred_word() { backend_of(where_).deferred.close(where_, word_); }

}  // namespace skerry
