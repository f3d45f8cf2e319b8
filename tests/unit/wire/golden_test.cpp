// The golden vectors of schema/wire/golden: what the bytes of each message are, for good.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/unit/wire/samples.hpp"

namespace leasehold::wire {

namespace {

namespace fs = std::filesystem;

fs::path golden() {
  return fs::path(LEASEHOLD_SOURCE_DIR) / "schema/wire/golden";
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// 32 bytes a line, as `xxd -r -p` reads it.
std::string to_hex(const Bytes& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % 32 == 0) text += '\n';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text + "\n";
}

Bytes from_hex(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (c != '\n') digits += c;
  }
  REQUIRE(digits.size() % 2 == 0);
  Bytes bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Bytes read_hex(const fs::path& path) {
  return from_hex(read_text(path));
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".hex") names.insert(entry.path().stem());
  }
  return names;
}

std::string refusal_text(const Bad& bad) {
  const auto message = decode(bad.bytes);
  REQUIRE_FALSE(message);
  return std::string(token(message.error().kind)) + ": " + message.error().message + "\n";
}

TEST_CASE("each golden vector is what its message is encoded to, and decodes to it") {
  std::set<std::string> names;
  for (const Sample& sample : samples()) {
    INFO(sample.name);
    names.insert(sample.name);
    const Bytes bytes = read_hex(golden() / (sample.name + ".hex"));
    CHECK(encode(sample.message) == bytes);
    const auto message = decode(bytes);
    REQUIRE(message);
    CHECK(message->index() == sample.message.index());
    CHECK(encode(*message) == bytes);
    CHECK(as_json(bytes) == read_text(golden() / (sample.name + ".json")));
  }
  CHECK(names_in(golden()) == names);
}

TEST_CASE("every type of message has a golden vector of its name") {
  const auto names = names_in(golden());
  for (int i = 0; i < kMessageTypeCount; ++i) {
    const auto type = static_cast<MessageType>(i);
    const std::string name(token(type));
    INFO(name);
    REQUIRE(names.count(name) == 1);
    const auto message = decode(read_hex(golden() / (name + ".hex")));
    REQUIRE(message);
    CHECK(type_of(*message) == type);
  }
}

TEST_CASE("forms of a message that another program may write mean the same") {
  std::set<std::string> names;
  for (const Foreign& foreign : foreign_forms()) {
    INFO(foreign.name);
    names.insert(foreign.name);
    const Bytes bytes = read_hex(golden() / "accepted" / (foreign.name + ".hex"));
    CHECK(bytes == foreign.bytes);
    const auto message = decode(bytes);
    REQUIRE(message);
    CHECK(encode(*message) == read_hex(golden() / (foreign.as + ".hex")));
  }
  CHECK(names_in(golden() / "accepted") == names);
}

TEST_CASE("what is refused is refused for its reason, in words") {
  std::set<std::string> names;
  for (const Bad& bad : bad_forms()) {
    INFO(bad.name);
    names.insert(bad.name);
    CHECK(read_hex(golden() / "refused" / (bad.name + ".hex")) == bad.bytes);
    const auto message = decode(bad.bytes);
    REQUIRE_FALSE(message);
    CHECK(std::string(token(message.error().kind)) == token(bad.kind));
    CHECK(refusal_text(bad) == read_text(golden() / "refused" / (bad.name + ".txt")));
  }
  CHECK(names_in(golden() / "refused") == names);
}

// Writes the vectors again: test_wire "[golden-write]". This is only for a change of the protocol,
// which schema/wire/README.md must then tell.
TEST_CASE("write the golden vectors", "[.golden-write]") {
  for (const Sample& sample : samples()) {
    const Bytes bytes = encode(sample.message);
    write_text(golden() / (sample.name + ".hex"), to_hex(bytes));
    write_text(golden() / (sample.name + ".json"), as_json(bytes));
  }
  for (const Foreign& foreign : foreign_forms()) {
    write_text(golden() / "accepted" / (foreign.name + ".hex"), to_hex(foreign.bytes));
  }
  for (const Bad& bad : bad_forms()) {
    write_text(golden() / "refused" / (bad.name + ".hex"), to_hex(bad.bytes));
    write_text(golden() / "refused" / (bad.name + ".txt"), refusal_text(bad));
  }
}

}  // namespace

}  // namespace leasehold::wire
