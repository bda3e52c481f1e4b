// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/random/counts.hpp"
#include "ops/random/cpu/stream.hpp"
#include "ops/random/integers.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Returns the parameters of a kernel that runs now.
SKERRY_INLINE RandomParams resolve_stream(RandomParams p) {
  p.stream = ops::random::state_after(p.base, p.stream);
  return p;
}

/// The bits of a chunk as words of any width.
template <class W>
struct WordsOfChunk {
  static constexpr int64 per_block = 16 / sizeof(W);
  static constexpr int64 count = chunk_blocks * per_block;
  const char* bits;

  SKERRY_INLINE W operator[](int64 i) const { return load<W>(bits + i * int64(sizeof(W))); }
};

/// Computes all elements of a chunk, each as a function of its word.
template <class Method, class W, class T>
SKERRY_INLINE void apply_to_words(Method method, WordsOfChunk<W> words, T* elements) {
  SKERRY_IVDEP
  for (int64 i = 0; i < words.count; ++i) elements[i] = method(words[i]);
}

struct bits_words {
  template <class W>
  void operator()(const RandomParams&, int64, WordsOfChunk<W> words, W* elements) const {
    apply_to_words([](W word) { return word; }, words, elements);
  }
};
template <class Word>
struct each_word {
  template <class W, class T>
  void operator()(const RandomParams&, int64, WordsOfChunk<W> words, T* elements) const {
    apply_to_words(Word{}, words, elements);
  }
};
struct normal_words {
  template <class W, class T>
  void operator()(const RandomParams&, int64, WordsOfChunk<W> words, T* elements) const {
    SKERRY_IVDEP
    for (int64 i = 0; i < words.count / 2; ++i) {
      const auto pair = ops::random::normal_pair(words[2 * i], words[2 * i + 1]);
      elements[2 * i] = pair.first;
      elements[2 * i + 1] = pair.second;
    }
  }
};

/// Integers. Elements whose word is rejected are drawn again after all others.
template <class W, class T>
struct integer_words {
  ops::random::integer_range<W> range;

  explicit integer_words(const RandomParams& p) : range(static_cast<W>(p.span)) {}

  void operator()(const RandomParams& p, int64 begin, WordsOfChunk<W> words, T* elements) const {
    using L = ops::random::offset_arithmetic_t<T>;
    const auto low = static_cast<L>(p.low);
    if (range.count == 0) {
      return apply_to_words([low](W word) { return static_cast<T>(L(low + word)); }, words,
                            elements);
    }
    W lowest = ~W(0);
    for (int64 i = 0; i < words.count; ++i) {
      const auto product = ops::random::multiply_wide(words[i], range.count);
      elements[i] = static_cast<T>(L(low + product.high));
      lowest = product.low < lowest ? product.low : lowest;
    }
    if (lowest >= range.refused_below) return;
    for (int64 i = 0; i < words.count; ++i) {
      if (ops::random::multiply_wide(words[i], range.count).low >= range.refused_below) continue;
      const auto position = p.stream.position + static_cast<uint64>((begin + i) / words.per_block);
      const ops::random::Attempts attempts(p.stream.key, position, p.stream.tail);
      const int number = static_cast<int>(i % words.per_block);
      elements[i] =
          static_cast<T>(L(low + ops::random::bounded(range, words[i], attempts, number)));
    }
  }
};

/// Computes whole chunks in parallel; a partial chunk goes through a buffer.
template <class W, class T, class Words>
void run_by_words(const RandomParams& params, const Words& make) {
  const RandomParams p = resolve_stream(params);
  constexpr int64 chunk_size = WordsOfChunk<W>::count;
  const int64 chunks = (p.size + chunk_size - 1) / chunk_size;
  cpu::parallel_for(chunks, 16, [&](int64 first, int64 end) {
    alignas(64) uint64 words[2 * chunk_blocks];
    alignas(64) T buffer[chunk_size];
    for (int64 chunk = first; chunk < end; ++chunk) {
      fill_words(words, p.stream, static_cast<uint64>(chunk * chunk_blocks));
      const int64 begin = chunk * chunk_size;
      const int64 count = minimum(chunk_size, p.size - begin);
      char* out = p.output + begin * int64(sizeof(T));
      const bool is_whole = count == chunk_size && reinterpret_cast<uint64>(out) % alignof(T) == 0;
      T* const elements = is_whole ? reinterpret_cast<T*>(out) : buffer;
      make(p, begin, WordsOfChunk<W>{reinterpret_cast<const char*>(words)}, elements);
      if (!is_whole) __builtin_memcpy(out, buffer, static_cast<uint64>(count) * sizeof(T));
    }
  });
}

template <class Words, class W, class T>
void run_words(const RandomParams& p) {
  run_by_words<W, T>(p, Words{});
}

template <class T>
void run_integers(const RandomParams& p) {
  if constexpr (sizeof(T) == 8) {
    if (p.span > 0xffffffffu) return run_by_words<uint64, T>(p, integer_words<uint64, T>(p));
  }
  run_by_words<uint32, T>(p, integer_words<uint32, T>(p));
}

/// Returns element i's own parameter, or the common one.
SKERRY_INLINE float64 parameter(const char* values, float64 of_all, int64 i) {
  return values == nullptr ? of_all : load<float64>(values + i * 8);
}

/// Draws the elements of one distribution: a chunk by `fast_path`, then the undecided ones one by
/// one.
template <class Element, class T>
void run_elements_alike(const RandomParams& p, const Element& method) {
  using value = decltype(method.fast_path({}, {}).value);
  const int64 chunks = (p.size + chunk_blocks - 1) / chunk_blocks;
  cpu::parallel_for(chunks, 4, [&](int64 first, int64 end) {
    alignas(64) uint64 words[2][2 * chunk_blocks];
    alignas(64) value values[chunk_blocks];
    alignas(64) uint64 is_final[chunk_blocks];
    for (int64 chunk = first; chunk < end; ++chunk) {
      const int64 begin = chunk * chunk_blocks;
      for (uint32 attempt = 0; attempt < uint32{Element::blocks}; ++attempt) {
        fill_words(words[attempt], p.stream, static_cast<uint64>(begin), attempt);
      }
      SKERRY_IVDEP
      for (int64 i = 0; i < chunk_blocks; ++i) {
        constexpr int last = Element::blocks - 1;
        const auto decided = method.fast_path({words[0][2 * i], words[0][2 * i + 1]},
                                              {words[last][2 * i], words[last][2 * i + 1]});
        values[i] = decided.value;
        is_final[i] = decided.is_final ? 1 : 0;
      }
      const int64 count = minimum(chunk_blocks, p.size - begin);
      for (int64 i = 0; i < count; ++i) {
        if (is_final[i] == 0) {
          const auto position = p.stream.position + static_cast<uint64>(begin + i);
          values[i] = method(ops::random::Attempts(p.stream.key, position, p.stream.tail));
        }
        store(p.output + (begin + i) * int64(sizeof(T)), static_cast<T>(values[i]));
      }
    }
  });
}

template <class Element, class T>
void run_elements(const RandomParams& params) {
  const RandomParams p = resolve_stream(params);
  const bool is_one = p.a_each == nullptr && p.b_each == nullptr;
  const Element of_all(p.a, p.b);
  if (is_one && of_all.has_fast_path()) return run_elements_alike<Element, T>(p, of_all);
  cpu::parallel_for(p.size, tuning::random_grain_size, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) {
      const ops::random::Attempts attempts(p.stream.key, p.stream.position + uint64(i),
                                           p.stream.tail);
      const auto value =
          is_one ? of_all(attempts)
                 : Element(parameter(p.a_each, p.a, i), parameter(p.b_each, p.b, i))(attempts);
      store(p.output + i * int64(sizeof(T)), static_cast<T>(value));
    }
  });
}

template <class T>
void run_integer_of_each(const RandomParams& params) {
  const RandomParams p = resolve_stream(params);
  cpu::parallel_for(p.size, tuning::random_grain_size, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) {
      const ops::random::Attempts attempts(p.stream.key, p.stream.position + uint64(i),
                                           p.stream.tail);
      const uint64 low = p.a_each == nullptr ? p.low : load<uint64>(p.a_each + i * 8);
      const uint64 span = p.b_each == nullptr ? p.span : load<uint64>(p.b_each + i * 8);
      ops::random::Attempts first = attempts;
      const uint64 offset = ops::random::bounded(ops::random::integer_range<uint64>(span),
                                                 first.next().first, attempts, 0);
      store(p.output + i * int64(sizeof(T)), static_cast<T>(low + offset));
    }
  });
}

inline void run_store_state(const RandomStateParams& p) {
  __builtin_memcpy(p.output, &p.state, sizeof(p.state));
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
