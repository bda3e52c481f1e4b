// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/printf.hpp"

#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace skerry::emulation {
namespace {

/// The parts of a conversion such as `%-08.3lld`.
struct Conversion {
  std::string flags;      ///< including width and precision
  std::size_t stars = 0;  ///< how many of width and precision are arguments
  std::string_view length;
  char kind = 0;
  std::size_t nbytes = 0;  ///< length of the conversion; 0: not a conversion
};

[[nodiscard]] Conversion parse(std::string_view format) {
  Conversion conversion;
  std::size_t position = 1;
  while (position < format.size() && std::strchr("-+ #0123456789.*", format[position]) != nullptr) {
    conversion.stars += format[position] == '*' ? 1 : 0;
    conversion.flags += format[position++];
  }
  const std::size_t length = position;
  while (position < format.size() && std::strchr("hlqjzt", format[position]) != nullptr) ++position;
  conversion.length = format.substr(length, position - length);
  if (position == format.size()) return conversion;
  conversion.kind = format[position];
  conversion.nbytes = position + 1;
  return conversion;
}

class PrintfArguments {
 public:
  explicit PrintfArguments(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  [[nodiscard]] T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (offset_ + sizeof(T) > bytes_.size()) throw std::out_of_range("arguments of printf");
    T value;
    std::memcpy(&value, bytes_.data() + offset_, sizeof value);
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  [[nodiscard]] int count() const noexcept { return count_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t offset_ = 0;
  int count_ = 0;
};

template <class T>
[[nodiscard]] std::string format_value(const std::string& format, T value) {
  const int length = std::snprintf(nullptr, 0, format.c_str(), value);
  if (length < 0) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

/// Replaces each `*` with its argument.
[[nodiscard]] std::string with_numbers(const Conversion& conversion, PrintfArguments& arguments) {
  std::string text = "%";
  for (const char c : conversion.flags)
    text += c == '*' ? std::to_string(arguments.next<int>()) : std::string(1, c);
  return text;
}

[[nodiscard]] std::string convert(const Conversion& conversion, PrintfArguments& arguments,
                                  const string_reader& strings) {
  const std::string flags = with_numbers(conversion, arguments);
  const bool is_long = conversion.length.find_first_of("lqjzt") != std::string_view::npos;
  switch (conversion.kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (is_long) return format_value(flags + "ll" + conversion.kind, arguments.next<long long>());
      return format_value(flags + std::string(conversion.length) + conversion.kind,
                          arguments.next<int>());
    case 'c':
      return format_value(flags + conversion.kind, arguments.next<int>());
    case 'p':
      return format_value(flags + conversion.kind,
                          reinterpret_cast<void*>(arguments.next<std::uint64_t>()));
    case 's': {
      const auto address = arguments.next<std::uint64_t>();
      const std::string text(address == 0 ? "(null)" : strings(address));
      return format_value(flags + conversion.kind, text.c_str());
    }
    default:
      return format_value(flags + conversion.kind, arguments.next<double>());
  }
}

}  // namespace

FormattedText format_printf(std::string_view format, std::span<const std::byte> arguments,
                            const string_reader& strings) {
  PrintfArguments argument_reader(arguments);
  FormattedText formatted_text;
  while (!format.empty()) {
    const std::size_t literal_length = std::min(format.find('%'), format.size());
    formatted_text.text += format.substr(0, literal_length);
    format.remove_prefix(literal_length);
    if (format.empty()) break;
    const Conversion one = parse(format);
    if (one.nbytes != 0 && one.kind == '%') {
      formatted_text.text += '%';
    } else if (one.nbytes != 0 && std::strchr("diuoxXcpseEfFgGaA", one.kind) != nullptr) {
      formatted_text.text += convert(one, argument_reader, strings);
    } else {
      // An invalid conversion is printed as text, as on a GPU.
      formatted_text.text += '%';
      format.remove_prefix(1);
      continue;
    }
    format.remove_prefix(one.nbytes);
  }
  formatted_text.arguments = argument_reader.count();
  return formatted_text;
}

}  // namespace skerry::emulation
