#include "common/text/printable.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace leasehold;

namespace {

std::string utf8(uint32_t point) {
  const auto byte = [](uint32_t value) { return static_cast<char>(value); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), byte(0x80 | (point & 0x3F))};
  return {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 0x3F)), byte(0x80 | (point & 0x3F))};
}

}  // namespace

TEST_CASE("what a terminal obeys or turns around, and what nobody sees, is written as an escape") {
  for (uint32_t point = 0; point < 0xFFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    const bool steers = point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x61C ||
                        point == 0x200E || point == 0x200F ||
                        (point >= 0x2028 && point <= 0x202E) ||
                        (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF;
    const bool hidden =
        point == 0xAD || point == 0x34F || point == 0x115F || point == 0x1160 || point == 0x17B4 ||
        point == 0x17B5 || (point >= 0x180B && point <= 0x180F) ||
        (point >= 0x200B && point <= 0x200D) || (point >= 0x2060 && point <= 0x206F) ||
        point == 0x3164 || point == 0xFFA0 || (point >= 0xFFF0 && point <= 0xFFFB);
    const bool bad = steers || hidden;
    const std::string shown = printable("a" + utf8(point) + "b");
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", point);
    if (shown != "a" + (bad ? std::string(escape) : utf8(point)) + "b") FAIL_CHECK(point);
  }
}

TEST_CASE("tags that nobody sees are written as JSON has them") {
  CHECK(printable("a\xf3\xa0\x81\x81") == "a\\udb40\\udc41");
}

TEST_CASE("the width of text is that of its characters on a terminal") {
  CHECK(width_of("Z\xc3\xbcrich") == 6);
  CHECK(width_of("\xe6\x9d\xb1\xe4\xba\xac") == 4);  // two characters of two columns
  CHECK(width_of("\xf0\x9f\x98\x80") == 2);          // a picture
  CHECK(width_of("e\xcc\x81") == 1);                 // an accent stands above the e
  CHECK(cut_to("abc", 3) == "abc");
  CHECK(cut_to("abcd", 3) == "ab\xe2\x80\xa6");
  CHECK(cut_to("abcd", 0) == "\xe2\x80\xa6");
}

TEST_CASE("bytes that are no UTF-8 are written one by one") {
  CHECK(printable("a\xff\xc3") == "a\\xff\\xc3");
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half of a pair
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond the last
  CHECK(printable("\xe2\x80") == "\\xe2\\x80");                    // cut off
  CHECK(printable("Z\xc3\xbcrich \xf0\x9f\x98\x80") == "Z\xc3\xbcrich \xf0\x9f\x98\x80");
  CHECK(printable("") == "");
}

TEST_CASE("text that is laid out keeps its lines and our own colours, and no others") {
  CHECK(printable_lines("a\tb\n\033[31mlost\033[0m\n") == "a\tb\n\033[31mlost\033[0m\n");
  CHECK(printable_lines("\033[2J\r\033]0;x\a") == "\\u001b[2J\\u000d\\u001b]0;x\\u0007");
  CHECK(width_of(printable("\xc3\xbc\033[31m")) == 1 + 6 + 4);
}

TEST_CASE("JSON stays JSON that says the same") {
  const nlohmann::json said = {{"name", "\033[31m\x7f\xc2\x9b\xe2\x80\xae!"}};
  const std::string shown = printable(said.dump());
  CHECK(shown == "{\"name\":\"\\u001b[31m\\u007f\\u009b\\u202e!\"}");
  CHECK(nlohmann::json::parse(shown) == said);
}
