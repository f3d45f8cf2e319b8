#include "common/log.hpp"

#include <rapidcheck.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>

namespace leasehold {

namespace {

constexpr Instant kAt{1'795'280'460'000};

std::string line_of(LogLevel level, std::string_view program, std::string_view event,
                    LogFields fields) {
  return log_line(kAt, level, program, event, LogFieldList(fields.begin(), fields.size()));
}

std::string line_with(std::string_view value) {
  return line_of(LogLevel::info, "lease-broker", "agent-up", {{"cluster", value}});
}

/// Returns what follows "cluster=" in the log.
std::string shown(std::string_view value) {
  const std::string line = line_with(value);
  return line.substr(line.find(" cluster=") + 9);
}

/// Everything written to stderr while `act` runs.
template <class Act>
std::string stderr_of(Act act) {
  std::FILE* file = std::tmpfile();
  std::fflush(stderr);
  const int kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  act();
  std::fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  std::string text(static_cast<size_t>(std::ftell(file)) + 65536, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST_CASE("a log line is key=value, the time first") {
  CHECK(line_with("east") ==
        "time=2026-11-21T17:01:00.000Z level=info program=lease-broker event=agent-up "
        "cluster=east");
  CHECK(line_of(LogLevel::warn, "", "x", {{"n", -3}, {"m", UINT64_MAX}, {"b", true}}) ==
        "time=2026-11-21T17:01:00.000Z level=warn event=x n=-3 m=18446744073709551615 b=true");
}

TEST_CASE("marks that turn the direction of writing, and bytes that are no UTF-8, are escaped") {
  CHECK(shown("a\xe2\x80\xae") == R"("a\xe2\x80\xae")");
  CHECK(shown("\xe2\x81\xa6x\xe2\x80\xa8") == R"("\xe2\x81\xa6x\xe2\x80\xa8")");
  CHECK(shown("\xff") == R"("\xff")");
  CHECK(shown("Z\xc3\xbcrich") == "Z\xc3\xbcrich");
}

TEST_CASE("values that would be misread are quoted and escaped") {
  CHECK(shown("two words") == "\"two words\"");
  CHECK(shown("") == "\"\"");
  CHECK(shown("a=b") == "\"a=b\"");
  CHECK(shown("say \"x\" \\") == R"("say \"x\" \\")");
  CHECK(shown("a\nlevel=error") == R"("a\nlevel=error")");
  CHECK(shown("\r\t") == R"("\r\t")");
  CHECK(shown("\x1b[31m") == R"("\x1b[31m")");
  CHECK(shown(std::string_view("\0", 1)) == R"("\x00")");
  CHECK(shown("\xc2\x9b"
              "31m") == R"("\xc2\x9b31m")");
  CHECK(shown("\xc2") == R"("\xc2")");
  CHECK(shown("m\xc3\xbcnchen") == "m\xc3\xbcnchen");
  CHECK(shown("tcp://[::1]:7440") == "tcp://[::1]:7440");
}

TEST_CASE("no value forges a line or a field") {
  CHECK(rc::check([](const std::string& value) {
    const std::string text = shown(value);
    for (const char c : text) {
      RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
      RC_ASSERT(c != '\x7f');
    }
    if (text.front() != '"') {
      RC_ASSERT(text == value);
      RC_ASSERT(text.find_first_of(" =\"\\") == std::string::npos);
    } else {
      size_t ends = 0;  // quotes that are not escaped
      for (size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\') {
          ++i;
        } else if (text[i] == '"') {
          ++ends;
        }
      }
      RC_ASSERT(ends == 1u);
      RC_ASSERT(text.back() == '"');
    }
  }));
}

TEST_CASE("levels are read by name, others are refused with the list") {
  for (const auto level :
       {LogLevel::trace, LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
    CHECK(parse_log_level(token(level)).value() == level);
  }
  for (const char* text : {"", "Info", "warning", "off"}) {
    const auto level = parse_log_level(text);
    REQUIRE_FALSE(level);
    CHECK(level.error().code == ErrorCode::usage);
    CHECK_THAT(level.error().message, Catch::Contains("trace, debug, info, warn or error"));
  }
}

TEST_CASE("lines go to stderr at once, those below the level nowhere") {
  const std::string text = stderr_of([] {
    start_log("lease-test", LogLevel::warn);
    log_info("unseen");
    log_warn("seen", {{"text", "{} two\nlines %v"}});
  });
  start_log("", LogLevel::info);
  CHECK_THAT(text, Catch::StartsWith("time=20"));
  CHECK_THAT(text, Catch::EndsWith(
                       " level=warn program=lease-test event=seen text=\"{} two\\nlines %v\"\n"));
  CHECK_THAT(text, !Catch::Contains("unseen"));
}

}  // namespace

}  // namespace leasehold
