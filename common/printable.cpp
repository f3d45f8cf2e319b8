#include "common/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace leasehold {

namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr uint32_t kNone = 0xFFFFFFFF;

struct Point {
  uint32_t value = kNone;  // kNone: no UTF-8
  size_t bytes = 1;
};

/// Of the lead byte: the bytes of its character and its part of the code point; 0: it leads none.
size_t bytes_of(uint8_t lead, uint32_t& point) {
  if (lead < 0x80) {
    point = lead;
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    point = lead & 0x1FU;
    return 2;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    point = lead & 0x0FU;
    return 3;
  }
  point = lead & 0x07U;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

Point point_at(std::string_view text, size_t at) {
  uint32_t point = 0;
  const size_t bytes = bytes_of(static_cast<uint8_t>(text[at]), point);
  if (bytes == 0 || text.size() - at < bytes) return {};
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<uint8_t>(text[at + i]);
    if ((next & 0xC0U) != 0x80U) return {};
    point = point << 6U | (next & 0x3FU);
  }
  const bool overlong = (bytes == 3 && point < 0x800) || (bytes == 4 && point < 0x10000);
  if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return {};
  return {point, bytes};
}

bool is_printable(uint32_t point) {
  if (point < 0x20 || (point >= 0x7F && point < 0xA0)) return false;
  if (point == 0x061C || point == 0x200E || point == 0x200F || point == 0xFEFF) return false;
  if (point >= 0x2028 && point <= 0x202E) return false;
  return (point < 0x2066 || point > 0x2069) && point != kNone;
}

void append_escape(std::string& out, std::string_view text, size_t at) {
  const Point found = point_at(text, at);
  const auto digit = [&](uint32_t value, uint32_t place) {
    out += kHex[value >> (4 * place) & 15U];
  };
  if (found.value == kNone) {
    out += "\\x";
    digit(static_cast<uint8_t>(text[at]), 1);
    digit(static_cast<uint8_t>(text[at]), 0);
    return;
  }
  out += "\\u";
  for (uint32_t place = 4; place > 0; --place) digit(found.value, place - 1);
}

/// Length of one of the sequences that the programs write themselves; 0: there is none.
size_t colour_at(std::string_view text, size_t at) {
  constexpr std::array<std::string_view, 5> kColours{"\033[0m", "\033[31m", "\033[32m", "\033[33m",
                                                     "\033[36m"};
  for (const std::string_view colour : kColours) {
    if (text.substr(at, colour.size()) == colour) return colour.size();
  }
  return 0;
}

template <class Stays>
std::string escaped(std::string_view text, const Stays& stays) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Character found = character_at(text, at);
    const size_t kept = found.printable ? found.bytes : stays(at);
    if (kept > 0) {
      out += text.substr(at, kept);
      at += kept;
    } else {
      append_escape(out, text, at);
      at += found.bytes;
    }
  }
  return out;
}

}  // namespace

Character character_at(std::string_view text, size_t at) {
  const auto byte = static_cast<uint8_t>(text[at]);
  if (byte >= 0x20 && byte < 0x7F) return {1, true};  // most there is
  const Point found = point_at(text, at);
  return {found.bytes, is_printable(found.value)};
}

std::string printable(std::string_view text) {
  return escaped(text, [](size_t) { return size_t{0}; });
}

/// Bytes that do not continue a character.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string printable_lines(std::string_view text) {
  return escaped(text, [&](size_t at) {
    if (text[at] == '\n' || text[at] == '\t') return size_t{1};
    return colour_at(text, at);
  });
}

void print_error(std::string_view text) {
  std::fputs((printable_lines(text) + "\n").c_str(), stderr);
}

}  // namespace leasehold
