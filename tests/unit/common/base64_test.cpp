// Bytes as text and back, and what is no such text.
#include "common/text/base64.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

TEST_CASE("any bytes come back from base64 as they were") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("foobar") == "Zm9vYmFy");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    CHECK(from_base64(base64(all)) == all);
  }
}

TEST_CASE("what is no base64 is told from empty bytes") {
  CHECK(from_base64("") == "");
  for (const char* text : {"Zg", "Zg=", "Zg==x", "Z", "Zm9v!mFy", "Zm9v\n", "===="}) {
    CAPTURE(text);
    CHECK_FALSE(from_base64(text).has_value());
  }
}
