// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The part of CUDA 13's cuRAND that CuPy calls. The distributions are cuRAND's, the numbers are
// those of a generator of C++: a seed gives other numbers than on a GPU.

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <new>
#include <random>

#include "device/emulator/libraries/stand_in_library.hpp"

namespace skerry::emulation::curand {

struct Generator : LibraryHandle {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
  std::uint64_t calls = 0;  ///< since the seed or the offset was set
};

namespace {

constexpr int success = 0;
constexpr int not_initialized = 101;
constexpr int allocation_failed = 102;
constexpr int type_error = 103;
constexpr int out_of_range = 104;
constexpr int length_not_multiple = 105;
constexpr int launch_failure = 201;

// curandRngType
constexpr int first_pseudo_random = 100;
constexpr int last_pseudo_random = 161;

bool is_valid(const Generator* generator) {
  return generator != nullptr && generator->mark == LibraryHandle::alive;
}

int rejected(int status, const char* why) {
  report_rejection("cuRAND", why);
  return status;
}

/// Fills an array in stream order. Each call has numbers of its own, which follow from the seed,
/// the offset and the earlier calls.
template <class T, class Draw>
int fill(Generator* generator, const char* routine, T* data, std::size_t count, Draw draw) {
  if (const char* error = error_message_of(generator)) return rejected(not_initialized, error);
  if (count > 0 && data == nullptr) return rejected(out_of_range, "null pointer");
  if (!is_aligned(data, sizeof(T))) return rejected(out_of_range, "misaligned memory");
  const auto words = std::bit_cast<std::array<std::uint32_t, 6>>(
      std::array{generator->seed, generator->offset, generator->calls++});
  const int code = enqueue_library_task(
      routine, generator->stream, {{data, count * sizeof(T), RangeAccess::write}}, [=]() mutable {
        std::seed_seq seeds(words.begin(), words.end());
        std::mt19937_64 engine(seeds);
        for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<T>(draw(engine));
      });
  return code == 0 ? success : launch_failure;
}

/// In (0, 1].
template <class T>
auto uniform() {
  return [](auto& engine) {
    return T(1) - std::generate_canonical<T, std::numeric_limits<T>::digits>(engine);
  };
}

/// Pairs of numbers are generated together.
template <class T, class Distribution>
int fill_pairs(Generator* generator, const char* routine, T* data, std::size_t count,
               Distribution distribution) {
  if (count % 2 != 0) return rejected(length_not_multiple, "the number of values is odd");
  return fill(generator, routine, data, count,
              [distribution](auto& engine) mutable { return distribution(engine); });
}

}  // namespace

SKERRY_ENTRY_POINT(curandCreateGenerator, create, (Generator * *generator, int type)) {
  if (type < first_pseudo_random || type > last_pseudo_random) {
    return rejected(type_error, "only pseudo-random generators are supported");
  }
  *generator = new (std::nothrow) Generator;
  if (*generator == nullptr) return allocation_failed;
  (*generator)->ordinal = current_device();
  return success;
}
SKERRY_ENTRY_POINT(curandDestroyGenerator, destroy, (Generator * generator)) {
  if (!is_valid(generator)) return not_initialized;
  generator->mark = 0;
  delete generator;
  return success;
}
SKERRY_ENTRY_POINT(curandGetVersion, get_version, (int* version)) {
  *version = 10400;  // 10.4.0, of CUDA 13.0
  return success;
}
SKERRY_ENTRY_POINT(curandSetStream, set_stream, (Generator * generator, void* stream)) {
  if (!is_valid(generator)) return not_initialized;
  generator->stream = stream;
  return success;
}
SKERRY_ENTRY_POINT(curandSetGeneratorOrdering, set_order, (const Generator* generator, int)) {
  return is_valid(generator) ? success : not_initialized;
}
SKERRY_ENTRY_POINT(curandSetPseudoRandomGeneratorSeed, set_seed,
                   (Generator * generator, unsigned long long seed)) {
  if (!is_valid(generator)) return not_initialized;
  generator->seed = seed;
  generator->calls = 0;
  return success;
}
SKERRY_ENTRY_POINT(curandSetGeneratorOffset, set_offset,
                   (Generator * generator, unsigned long long offset)) {
  if (!is_valid(generator)) return not_initialized;
  generator->offset = offset;
  generator->calls = 0;
  return success;
}

SKERRY_ENTRY_POINT(curandGenerate, generate,
                   (Generator * generator, unsigned* data, std::size_t count)) {
  return fill(generator, "curandGenerate", data, count,
              [](auto& engine) { return engine() >> 32; });
}
SKERRY_ENTRY_POINT(curandGenerateLongLong, generate_long,
                   (Generator * generator, unsigned long long* data, std::size_t count)) {
  return fill(generator, "curandGenerateLongLong", data, count,
              [](auto& engine) { return engine(); });
}
SKERRY_ENTRY_POINT(curandGenerateUniform, generate_uniform,
                   (Generator * generator, float* data, std::size_t count)) {
  return fill(generator, "curandGenerateUniform", data, count, uniform<float>());
}
SKERRY_ENTRY_POINT(curandGenerateUniformDouble, generate_uniform_double,
                   (Generator * generator, double* data, std::size_t count)) {
  return fill(generator, "curandGenerateUniformDouble", data, count, uniform<double>());
}
SKERRY_ENTRY_POINT(curandGenerateNormal, generate_normal,
                   (Generator * generator, float* data, std::size_t count, float mean,
                    float deviation)) {
  return fill_pairs(generator, "curandGenerateNormal", data, count,
                    std::normal_distribution<float>(mean, deviation));
}
SKERRY_ENTRY_POINT(curandGenerateNormalDouble, generate_normal_double,
                   (Generator * generator, double* data, std::size_t count, double mean,
                    double deviation)) {
  return fill_pairs(generator, "curandGenerateNormalDouble", data, count,
                    std::normal_distribution<double>(mean, deviation));
}
SKERRY_ENTRY_POINT(curandGenerateLogNormal, generate_log_normal,
                   (Generator * generator, float* data, std::size_t count, float mean,
                    float deviation)) {
  return fill_pairs(generator, "curandGenerateLogNormal", data, count,
                    std::lognormal_distribution<float>(mean, deviation));
}
SKERRY_ENTRY_POINT(curandGenerateLogNormalDouble, generate_log_normal_double,
                   (Generator * generator, double* data, std::size_t count, double mean,
                    double deviation)) {
  return fill_pairs(generator, "curandGenerateLogNormalDouble", data, count,
                    std::lognormal_distribution<double>(mean, deviation));
}
SKERRY_ENTRY_POINT(curandGeneratePoisson, generate_poisson,
                   (Generator * generator, unsigned* data, std::size_t count, double mean)) {
  return fill(generator, "curandGeneratePoisson", data, count,
              [distribution = std::poisson_distribution<unsigned>(mean)](auto& engine) mutable {
                return distribution(engine);
              });
}

}  // namespace skerry::emulation::curand
