// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/promotion.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/plan.hpp"
#include "core/view.hpp"
#include "ops/call/operands.hpp"
#include "ops/call/result.hpp"

namespace skerry {
namespace {

/// Calls `append(separator, operand)` for every array.
template <class F>
void list_arrays(std::span<const Operand> operands, F&& append) {
  const char* separator = "";
  for (const Operand& x : operands) {
    if (x.array == nullptr) continue;
    append(separator, x);
    separator = ", ";
  }
}

[[noreturn]] void reject_devices(std::span<const Operand> operands) {
  std::string text = "arguments are on different devices: ";
  std::vector<Device> devices;
  const Operand* odd = nullptr;
  const Operand* scalar = nullptr;  // the first 0-D array, and the first array with axes
  const Operand* elements = nullptr;
  list_arrays(operands, [&](const char* separator, const Operand& x) {
    const NdArray& array = *x.array;
    text += std::string(separator) + x.name + " (" + name(array.dtype()) + ' ' +
            to_string(array.shape()) + ") on " + to_string(array.device());
    devices.push_back(array.device());
    if (odd == nullptr && array.device() != devices.front()) odd = &x;
    const Operand*& first = array.rank() == 0 ? scalar : elements;
    if (first == nullptr) first = &x;
  });
  Device target = devices.front();
  std::string scope;
  // Libraries such as xarray and SciPy create 0-d arrays on the default device.
  if (scalar != nullptr && elements != nullptr &&
      scalar->array->device() != elements->array->device()) {
    odd = scalar;
    target = elements->array->device();
    scope = ", or create it inside `with skerry.device(\"" + to_string(target) + "\"):`";
  }
  throw DeviceMismatchError(text + "; move one explicitly, e.g. " + odd->name + ".to_device(\"" +
                                to_string(target) + "\")" + scope,
                            devices);
}

[[noreturn]] void reject_mix(std::span<const Operand> operands) {
  std::string text = "no common dtype: ";
  list_arrays(operands, [&](const char* separator, const Operand& x) {
    text += std::string(separator) + x.name + " is " + name(x.array->dtype());
  });
  throw DtypeError(text + "; convert one with astype");
}

Dtype dtype_of_arrays(std::span<const Operand> operands) {
  Promotion of_arrays;
  for (const Operand& x : operands) {
    if (x.array != nullptr) of_arrays.add(x.array->dtype());
  }
  if (const std::optional<Dtype> type = of_arrays.result()) return *type;
  reject_mix(operands);
}

}  // namespace

Device common_device(std::span<const Operand> operands) {
  const NdArray* first = nullptr;
  for (const Operand& x : operands) {
    if (x.array == nullptr) continue;
    if (first == nullptr) first = x.array;
    if (x.array->device() != first->device()) reject_devices(operands);
  }
  if (first == nullptr) throw TypeError("no argument is an array");
  return first->device();
}

Device common_device(std::span<const NdArray> arrays) {
  const auto elsewhere = [&](const NdArray& x) { return x.device() != arrays[0].device(); };
  if (!arrays.empty() && std::none_of(arrays.begin(), arrays.end(), elsewhere)) {
    return arrays[0].device();
  }
  std::vector<std::string> names;
  names.reserve(arrays.size());
  std::vector<Operand> operands;
  for (const NdArray& x : arrays) {
    names.push_back("arrays[" + std::to_string(names.size()) + "]");
    operands.push_back({.array = &x, .name = names.back().c_str()});
  }
  return common_device(operands);
}

Dtype common_dtype(std::span<const Operand> operands) {
  const NdArray* first = nullptr;
  bool differs = false;
  for (const Operand& x : operands) {
    if (x.array == nullptr) continue;
    if (first == nullptr) first = x.array;
    differs = differs || x.array->dtype() != first->dtype();
  }
  return with_scalars(differs ? dtype_of_arrays(operands) : first->dtype(), operands);
}

void reject_dtype(const result_dtype_table& results, Dtype type) {
  std::string text = std::string(name(type)) + " is not accepted; it takes ";
  const char* separator = "";
  for (int i = 0; i < dtype_count; ++i) {
    if (!results[i]) continue;
    text += std::string(separator) + name(static_cast<Dtype>(i));
    separator = ", ";
  }
  throw DtypeError(text + "; convert with astype");
}

Dtype compute_dtype(const result_dtype_table& results, Dtype type) {
  if (promotion_is_strict()) reject_dtype(results, type);
  const int rank = kind_rank(type);
  const Dtype higher[] = {default_integer, default_real,
                          rank == 2 ? complex_of(type) : default_complex};
  for (int next = rank + 1; next <= kind_rank(default_complex); ++next) {
    const Dtype candidate = higher[next - 1];
    if (results[static_cast<int>(candidate)]) return candidate;
  }
  const bool takes_only_bool =
      results[static_cast<int>(Dtype::bool_)] &&
      std::count_if(std::begin(results), std::end(results),
                    [](const auto& result) { return result.has_value(); }) == 1;
  if (!takes_only_bool) reject_dtype(results, type);
  return Dtype::bool_;
}

Dims common_shape(std::span<const Operand> operands) {
  const Dims* shapes[Plan::max_operands];
  std::size_t count = 0;
  for (const Operand& x : operands) {
    if (x.array != nullptr) shapes[count++] = &x.array->shape();
  }
  if (count == 1) return *shapes[0];
  return broadcast_shapes({shapes, count});
}

Layout result_layout(const Dims& shape, Dtype type, std::span<const Operand> operands) {
  const std::int64_t width = itemsize(type);
  check_shape(shape.span(), width);
  std::optional<Layout> common_layout;
  for (const Operand& x : operands) {
    if (x.array == nullptr || x.array->shape() != shape) continue;
    const NdArray& array = *x.array;
    if (array.is_c_contiguous()) return c_layout(shape, width);
    Layout array_layout = dense_layout_like(array.layout(), width);
    if (common_layout && common_layout->strides != array_layout.strides)
      return c_layout(shape, width);
    common_layout = std::move(array_layout);
  }
  return common_layout ? std::move(*common_layout) : c_layout(shape, width);
}

Common common_of_any(std::span<const Operand> operands, const NdArray* target) {
  const Device device = common_device(operands);
  if (target != nullptr) require_writable(*target);
  return {device, common_dtype(operands), nullptr, 0};
}

}  // namespace skerry
