#include "common/text/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace leasehold {

namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr uint32_t kNone = 0xFFFFFFFF;

struct Point {
  uint32_t value = kNone;  // kNone: not UTF-8
  size_t bytes = 1;
};

/// Returns the number of bytes of the character that a lead byte begins, and sets its part of the
/// code point; 0 if it begins none.
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

struct Range {
  uint32_t first;
  uint32_t last;
};

template <size_t N>
bool is_in(const Range (&ranges)[N], uint32_t point) {
  const auto* found =
      std::lower_bound(std::begin(ranges), std::end(ranges), point,
                       [](const Range& range, uint32_t wanted) { return range.last < wanted; });
  return found != std::end(ranges) && found->first <= point;
}

/// Characters that a terminal obeys, that turn the direction of writing, that end lines, or that
/// nobody sees.
constexpr Range kNotPrintable[] = {
    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},     {0x34F, 0x34F},   {0x61C, 0x61C},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E},
    {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}, {kNone, kNone},
};

/// Marks above, below or around the character before them.
constexpr Range kMarks[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x5BF, 0x5BF},   {0x5C1, 0x5C2},
    {0x5C4, 0x5C5},   {0x5C7, 0x5C7},   {0x610, 0x61A},   {0x64B, 0x65F},   {0x670, 0x670},
    {0x6D6, 0x6DC},   {0x6DF, 0x6E4},   {0x6E7, 0x6E8},   {0x6EA, 0x6ED},   {0x711, 0x711},
    {0x730, 0x74A},   {0x900, 0x902},   {0x93A, 0x93A},   {0x93C, 0x93C},   {0x941, 0x948},
    {0x94D, 0x94D},   {0x951, 0x957},   {0xE31, 0xE31},   {0xE34, 0xE3A},   {0xE47, 0xE4E},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

/// Characters of East Asia and pictures, which take two columns.
constexpr Range kWide[] = {
    {0x1100, 0x115E},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},
    {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},   {0x26D4, 0x26D4},
    {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},   {0x26FA, 0x26FA},
    {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},
    {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},   {0x3041, 0x3247},
    {0x3250, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18DFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F265},
    {0x1F300, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4},
    {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D},
    {0x1F54B, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
    {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0},
    {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

bool is_printable(uint32_t point) {
  return !is_in(kNotPrintable, point);
}

size_t columns_of(uint32_t point) {
  if (point < 0x300) return 1;  // the usual case
  if (is_in(kMarks, point)) return 0;
  return is_in(kWide, point) ? 2 : 1;
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
  const auto unit = [&](uint32_t value) {
    out += "\\u";
    for (uint32_t place = 4; place > 0; --place) digit(value, place - 1);
  };
  if (found.value < 0x10000) return unit(found.value);
  unit(0xD800 + ((found.value - 0x10000) >> 10U));  // a surrogate pair, as JSON writes it
  unit(0xDC00 + ((found.value - 0x10000) & 0x3FFU));
}

/// Returns the length of one of the escape sequences that the programs themselves write, or 0 if
/// there is none.
size_t colour_at(std::string_view text, size_t at) {
  constexpr std::array<std::string_view, 5> kColours{"\033[0m", "\033[31m", "\033[32m", "\033[33m",
                                                     "\033[36m"};
  for (const std::string_view colour : kColours) {
    if (text.substr(at, colour.size()) == colour) return colour.size();
  }
  return 0;
}

bool is_plain(char c) {
  return c >= 0x20 && c < 0x7F;  // the usual case
}

size_t end_of_plain(std::string_view text, size_t at) {
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

template <class Stays>
std::string escaped(std::string_view text, const Stays& stays) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (const size_t end = end_of_plain(text, at); end > at) {
      out += text.substr(at, end - at);
      at = end;
      continue;
    }
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
  if (is_plain(text[at])) return {1, true, 1};
  const Point found = point_at(text, at);
  return {found.bytes, is_printable(found.value), columns_of(found.value)};
}

std::string printable(std::string_view text) {
  return escaped(text, [](size_t) { return size_t{0}; });
}

size_t width_of(std::string_view text) {
  size_t at = end_of_plain(text, 0);
  size_t width = at;
  while (at < text.size()) {
    const Character found = character_at(text, at);
    width += found.columns;
    at += found.bytes;
  }
  return width;
}

namespace {

/// Returns the length of an escape that printable() wrote at `at`, "\u001b" or "\xff"; 0 if there
/// is none.
size_t escape_at(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "\\x" && text.size() - at >= 4) return 4;
  return text.substr(at, 2) == "\\u" && text.size() - at >= 6 ? 6 : 0;
}

}  // namespace

std::string cut_to(std::string_view text, size_t columns) {
  size_t kept = 0;  // bytes that leave room for the mark
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t escape = escape_at(text, at);
    const Character found = character_at(text, at);
    at += escape > 0 ? escape : found.bytes;
    width += escape > 0 ? escape : found.columns;
    if (width + 1 <= columns) kept = at;
    if (width > columns) return std::string(text.substr(0, kept)) + "\u2026";
  }
  return std::string(text);
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
