// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/printf.hpp"

#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace skerry::emulation {
namespace {

/// `%-08.3lld` in parts.
struct Conversion {
  std::string flags;      ///< with width and precision
  std::size_t stars = 0;  ///< how many of those are arguments
  std::string_view length;
  char kind = 0;
  std::size_t nbytes = 0;  ///< of the format; 0: it is none
};

[[nodiscard]] Conversion parse(std::string_view from) {
  Conversion found;
  std::size_t at = 1;
  while (at < from.size() && std::strchr("-+ #0123456789.*", from[at]) != nullptr) {
    found.stars += from[at] == '*' ? 1 : 0;
    found.flags += from[at++];
  }
  const std::size_t length = at;
  while (at < from.size() && std::strchr("hlqjzt", from[at]) != nullptr) ++at;
  found.length = from.substr(length, at - length);
  if (at == from.size()) return found;
  found.kind = from[at];
  found.nbytes = at + 1;
  return found;
}

class PrintfArguments {
 public:
  explicit PrintfArguments(std::span<const std::byte> from) : from_(from) {}

  template <class T>
  [[nodiscard]] T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (at_ + sizeof(T) > from_.size()) throw std::out_of_range("arguments of printf");
    T value;
    std::memcpy(&value, from_.data() + at_, sizeof value);
    at_ += sizeof(T);
    ++count_;
    return value;
  }
  [[nodiscard]] int count() const noexcept { return count_; }

 private:
  std::span<const std::byte> from_;
  std::size_t at_ = 0;
  int count_ = 0;
};

template <class T>
[[nodiscard]] std::string printed(const std::string& format, T value) {
  const int length = std::snprintf(nullptr, 0, format.c_str(), value);
  if (length < 0) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

/// `*` becomes the number that is given for it.
[[nodiscard]] std::string with_numbers(const Conversion& of, PrintfArguments& arguments) {
  std::string text = "%";
  for (const char c : of.flags)
    text += c == '*' ? std::to_string(arguments.next<int>()) : std::string(1, c);
  return text;
}

[[nodiscard]] std::string convert(const Conversion& of, PrintfArguments& arguments,
                                  const string_reader& strings) {
  const std::string flags = with_numbers(of, arguments);
  const bool is_long = of.length.find_first_of("lqjzt") != std::string_view::npos;
  switch (of.kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (is_long) return printed(flags + "ll" + of.kind, arguments.next<long long>());
      return printed(flags + std::string(of.length) + of.kind, arguments.next<int>());
    case 'c':
      return printed(flags + of.kind, arguments.next<int>());
    case 'p':
      return printed(flags + of.kind, reinterpret_cast<void*>(arguments.next<std::uint64_t>()));
    case 's': {
      const auto address = arguments.next<std::uint64_t>();
      const std::string text(address == 0 ? "(null)" : strings(address));
      return printed(flags + of.kind, text.c_str());
    }
    default:
      return printed(flags + of.kind, arguments.next<double>());
  }
}

}  // namespace

FormattedText format_printf(std::string_view format, std::span<const std::byte> arguments,
                            const string_reader& strings) {
  PrintfArguments from(arguments);
  FormattedText found;
  while (!format.empty()) {
    const std::size_t plain = std::min(format.find('%'), format.size());
    found.text += format.substr(0, plain);
    format.remove_prefix(plain);
    if (format.empty()) break;
    const Conversion one = parse(format);
    if (one.nbytes != 0 && one.kind == '%') {
      found.text += '%';
    } else if (one.nbytes != 0 && std::strchr("diuoxXcpseEfFgGaA", one.kind) != nullptr) {
      found.text += convert(one, from, strings);
    } else {
      // What is no conversion is text, as on a GPU.
      found.text += '%';
      format.remove_prefix(1);
      continue;
    }
    format.remove_prefix(one.nbytes);
  }
  found.arguments = from.count();
  return found;
}

}  // namespace skerry::emulation
