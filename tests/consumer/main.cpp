// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// What a C++ user writes: arrays on a rehearsed GPU, an operation, the result back on the host.

#include <cstdio>

#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"
#include "device/transfer.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/move/copy.hpp"

int main() {
  skerry::rehearse(1);
  const skerry::Device gpu{skerry::cuda_kind, 0};
  const skerry::NdArray ones =
      skerry::full({4}, skerry::Scalar::from_value(1.0), skerry::Dtype::float64, gpu);
  const skerry::Scalar two = skerry::Scalar::from_value(2.0);
  const skerry::Operand operands[] = {{.array = &ones, .name = "x1"},
                                      {.value = &two, .name = "x2"}};
  const skerry::NdArray sum = skerry::apply(*skerry::find_op("add"), operands);
  double host[4] = {};
  skerry::read_bytes(host, sum.memory(), static_cast<std::size_t>(sum.layout().offset),
                     sizeof host);
  for (const double value : host) {
    if (value != 3.0) {
      std::fprintf(stderr, "consumer: expected 3, got %g on %s\n", value,
                   skerry::to_string(sum.device()).c_str());
      return 1;
    }
  }
  std::printf("consumer: 1 + 2 = %g on %s\n", host[0], skerry::to_string(sum.device()).c_str());
  return 0;
}
