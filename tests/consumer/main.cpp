// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Creates arrays on the host and on two rehearsed CUDA devices, computes with them, moves them, and
// passes them to code without knowledge of skerry.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>

#include <skerry/core/errors.hpp>
#include <skerry/core/ndarray.hpp>
#include <skerry/device/interchange.hpp>
#include <skerry/device/memory.hpp>
#include <skerry/device/registry.hpp>
#include <skerry/device/rehearsal/rehearse.hpp>
#include <skerry/device/stream.hpp>
#include <skerry/device/transfer.hpp>
#include <skerry/ops/create/create.hpp>
#include <skerry/ops/elementwise/apply.hpp>
#include <skerry/ops/move/copy.hpp>
#include <skerry/ops/move/views.hpp>
#include <skerry/ops/reduce/reduce.hpp>

namespace sk = skerry;

namespace {

void check(bool condition, const char* claim) {
  if (condition) return;
  std::fprintf(stderr, "consumer: failed: %s\n", claim);
  std::exit(1);
}

/// Applies an elementwise operation, given by its array API name, to two arrays.
sk::NdArray apply_named(const char* name, const sk::NdArray& x1, const sk::NdArray& x2) {
  const sk::Operand operands[] = {{.array = &x1, .name = "x1"}, {.array = &x2, .name = "x2"}};
  return sk::apply(*sk::find_op(name), operands);
}

/// Returns the sum of all elements to the host; waits for the device.
float total(const sk::NdArray& x) {
  const sk::NdArray sum =
      sk::reduce(*sk::find_reduction("sum"), x, std::nullopt, std::nullopt, false);
  float result = 0;
  sk::read_bytes(&result, sum.memory(), static_cast<std::size_t>(sum.layout().offset),
                 sizeof result);
  return result;
}

/// The arguments of code without knowledge of skerry: an address, a shape, and strides in bytes.
struct ForeignView {
  const char* data;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;
};

ForeignView export_view(const sk::NdArray& x) {
  return {x.data(), x.shape().span(), x.strides().span()};
}

/// Such code for host memory.
float foreign_sum(const ForeignView& x) {
  float sum = 0;
  for (std::int64_t i = 0; i < x.shape[0]; ++i) {
    for (std::int64_t j = 0; j < x.shape[1]; ++j) {
      sum += *reinterpret_cast<const float*>(x.data + i * x.strides[0] + j * x.strides[1]);
    }
  }
  return sum;
}

/// Such code for memory of a CUDA device: it would launch a kernel on a cudaStream_t.
void foreign_launch(const ForeignView& x, int device, void* stream) {
  std::printf("a kernel takes %d x %d floats at %p on device %d, stream %p\n",
              static_cast<int>(x.shape[0]), static_cast<int>(x.shape[1]),
              static_cast<const void*>(x.data), device, stream);
}

}  // namespace

int main() {
  // Two CUDA devices without a GPU. Without this line, uses the machine's devices.
  sk::rehearse(2);
  const sk::Device cpu = sk::parse_device("cpu:0");
  const sk::Device gpu = sk::parse_device("cuda:0");
  const sk::Device other_gpu = sk::parse_device("cuda:1");

  // Arrays of one value, of a range with another shape, and of memory that the program owns.
  const sk::NdArray ones = sk::full({2, 3}, sk::Scalar::from_value(1.0), sk::Dtype::float32, gpu);
  const sk::NdArray range = sk::arange(sk::Scalar::from_value(0.0), sk::Scalar::from_value(6.0),
                                       sk::Scalar::from_value(1.0), sk::Dtype::float32, other_gpu);
  const sk::NdArray table = sk::reshape(range, sk::Dims{2, 3}.span(), std::nullopt);
  float owned[] = {10, 20, 30};
  const sk::NdArray row(sk::adopt(cpu, owned, sizeof owned, true, nullptr, nullptr), {3},
                        sk::Dtype::float32);

  // Each array is computed on its device; nothing moves implicitly.
  check(total(ones) == 6 && total(table) == 15 && total(row) == 60, "sums on three devices");
  try {
    static_cast<void>(apply_named("add", ones, table));
    check(false, "arrays of two devices are rejected");
  } catch (const sk::DeviceMismatchError& error) {
    std::printf("rejected: %s\n", error.what());
  }
  const sk::NdArray sum = apply_named("add", ones, sk::to_device(table, gpu));
  check(sum.device() == gpu && total(sum) == 21, "1 + [0 .. 5]");

  // Work goes to this thread's current stream, which waits for what other streams wrote.
  const sk::Stream stream = sk::Stream::create(gpu);
  sk::enter_stream(stream);
  const sk::NdArray product = apply_named("multiply", sum, sk::to_device(row, gpu));
  sk::exit_stream(stream);
  stream.synchronize();
  check(total(product) == 10 * (1 + 4) + 20 * (2 + 5) + 30 * (3 + 6), "[[1 .. 3], [4 .. 6]] * row");

  // Other code gets the address and the stream on which the memory is ready, and must finish before
  // the last array of that memory is released.
  void* const ready_stream = sk::make_ready_on_legacy(*product.memory());
  foreign_launch(export_view(product), sk::ordinal_of(gpu), ready_stream);
  const sk::NdArray on_host = sk::transpose(sk::to_device(product, cpu));
  check(foreign_sum(export_view(on_host)) == total(product), "elements by address and strides");

  std::printf("%s holds %zu bytes in arrays\n", sk::to_string(gpu).c_str(),
              sk::statistics(gpu).live_bytes);
  return 0;
}
