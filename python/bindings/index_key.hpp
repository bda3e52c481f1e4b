// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ops/select/index_key.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/errors.hpp"

namespace skerry::python {

/// The parsed key of `x[key]`: one part or a tuple of parts, each of which is read once.
///
/// A first pass reads the parts that need no Python code, and converts NumPy's arrays and lists. A
/// second pass reads the others in order: whether a 0-d integer array is read as an int, which
/// blocks the host, depends on all parts.
class ParsedKey {
 public:
  /// `key` must outlive this. Throws DeviceMismatchError, IndexError, TypeError, PythonError, and
  /// whatever asarray throws. Inline: a call would double the instructions for an element's key.
  ParsedKey(PyObject* self, PyObject* key) : x_(value_of(self)) {
    const std::span<PyObject* const> parts = parts_of(key);
    if (parts.size() > few) allocate_parts(parts.size());
    IndexItem* const items = this->items();
    key_.items = {items, parts.size()};
    std::size_t i = 0;
    while (i < parts.size() && read_int(parts[i], items[i])) ++i;
    key_.counts.consumed = static_cast<std::int64_t>(i);
    if (i < parts.size()) read_from(i, self, key);
  }
  ParsedKey(const ParsedKey&) = delete;
  ParsedKey& operator=(const ParsedKey&) = delete;

  [[nodiscard]] const IndexKey& key() const noexcept { return key_; }
  /// The indexed array.
  [[nodiscard]] const NdArray& x() const noexcept { return x_; }

 private:
  /// Storage for keys with more than `few` parts.
  struct ManyParts {
    std::vector<IndexItem> items;
    std::vector<AdvancedItem> advanced;
  };
  /// The key with NumPy's arrays and lists converted.
  struct Conversion {
    Object key;
    ConvertedArgs args;
  };
  static constexpr std::size_t few = 8;

  [[nodiscard]] IndexItem* items() noexcept {
    return many_ != nullptr ? many_->items.data() : few_items_;
  }

  /// Returns the parts of a key, which is a single part or a tuple.
  static std::span<PyObject* const> parts_of(PyObject* const& key) {
    if (!PyTuple_Check(key)) return {&key, 1};
    return {PySequence_Fast_ITEMS(key), static_cast<std::size_t>(PyTuple_GET_SIZE(key))};
  }
  /// False unless `part` is exactly an int, and fits int64.
  static bool read_int(PyObject* part, IndexItem& item) {
    if (!PyLong_CheckExact(part)) return false;
    int overflow = 0;
    item = {.kind = IndexKind::integer, .start = PyLong_AsLongLongAndOverflow(part, &overflow)};
    return overflow == 0;
  }
  void allocate_parts(std::size_t count);
  [[gnu::noinline]] void read_from(std::size_t first, PyObject* self, PyObject* key);
  bool read_builtin(PyObject* part, IndexItem& item);
  std::span<PyObject* const> convert(PyObject* self, PyObject* key);
  void read_rest(std::span<PyObject* const> parts, std::span<AdvancedItem> unread,
                 bool is_advanced);
  bool read_array(PyObject* part, AdvancedItem& item, IndexItem& basic, bool is_int) const;
  bool read_object(PyObject* part, AdvancedItem& item, IndexItem& basic) const;

  const NdArray& x_;
  std::unique_ptr<ManyParts> many_;
  std::unique_ptr<Conversion> conversion_;
  IndexKey key_;
  // Unions avoid initialization, which would be most of the work of reading an int.
  union {
    IndexItem few_items_[few];
  };
  union {
    AdvancedItem few_advanced_[few];
  };
};

}  // namespace skerry::python
