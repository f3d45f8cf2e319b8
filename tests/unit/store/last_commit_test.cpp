// The file in which a broker keeps the last commit that it knows of.
#include "broker/store/last_commit.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

KnownCommit commit_of(int64_t last_event) {
  return {7, INT64_MIN, true, last_event, hash_of(std::to_string(last_event))};
}

std::unique_ptr<LastCommitFile> opened(const std::string& path) {
  auto file = LastCommitFile::open(path);
  INFO((file ? "" : describe(file.error())));
  REQUIRE(file.has_value());
  return std::move(*file);
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Returns what is known from a file with this content.
std::optional<KnownCommit> known_of(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return opened(path)->known();
}

/// While it exists, this process can write no file.
class NoWriting {
 public:
  NoWriting() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  NoWriting(const NoWriting&) = delete;
  NoWriting& operator=(const NoWriting&) = delete;
  ~NoWriting() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace

TEST_CASE("the last commit that a broker knows of is there after it ends, and no earlier one") {
  const TempDir folder;
  const std::string path = folder.file("hub.last-commit");
  CHECK_FALSE(opened(path)->known());  // it is made, and knows of none
  CHECK_FALSE(opened(path)->known());
  for (const int64_t event : {INT64_MAX, int64_t{1}, int64_t{20'000}}) {
    REQUIRE(opened(path)->keep(commit_of(event)));
    CHECK(opened(path)->known() == commit_of(event));
    CHECK(content(path).size() == 256);  // in place, so that a full disk does not matter
  }
  KnownCommit followed = commit_of(5);
  followed.own = false;
  REQUIRE(opened(path)->keep(followed));
  CHECK(opened(path)->known() == followed);
  REQUIRE(opened(path)->usable());
  CHECK(opened(path)->known() == followed);
}

TEST_CASE("a record that was changed, cut off or written by somebody else is none") {
  const TempDir folder;
  const std::string path = folder.file("hub.last-commit");
  REQUIRE(opened(path)->keep(commit_of(12)));
  const std::string record = content(path);
  REQUIRE(known_of(path, record).has_value());
  for (size_t at = 0; at < record.size(); ++at) {
    INFO(at);
    std::string other = record;
    other[at] = other[at] == '1' ? '2' : '1';
    CHECK_FALSE(known_of(path, other).has_value());
  }
  CHECK_FALSE(known_of(path, record.substr(0, 100)).has_value());
  CHECK_FALSE(known_of(path, record + record).has_value());
  CHECK_FALSE(known_of(path, std::string(256, '\0')).has_value());
  CHECK_FALSE(known_of(path, "99999999999999999999 1 own 1 ff ff\n").has_value());
  CHECK_FALSE(known_of(path, "SQLite format 3").has_value());
}

TEST_CASE("two brokers of one machine do not share the file of the last commit") {
  const TempDir folder;
  const std::string path = folder.file("hub.last-commit");
  const auto first = opened(path);
  const auto second = LastCommitFile::open(path);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::refused);
  CHECK(second.error().message.find("last_commit_file") != std::string::npos);
  CHECK(second.error().message.find(path) != std::string::npos);
}

TEST_CASE("a file of the last commit that cannot be opened is named") {
  const TempDir folder;
  const auto nowhere = LastCommitFile::open(folder.file("none/hub.last-commit"));
  REQUIRE_FALSE(nowhere.has_value());
  CHECK(describe(nowhere.error()).find("none/hub.last-commit") != std::string::npos);
  std::filesystem::create_directory(folder.file("folder"));
  CHECK_FALSE(LastCommitFile::open(folder.file("folder")).has_value());
}

TEST_CASE("what could not be written is not known, and the file says so once it can be") {
  const TempDir folder;
  const std::string path = folder.file("hub.last-commit");
  const auto file = opened(path);
  REQUIRE(file->keep(commit_of(1)));
  {
    const NoWriting full;
    const Status failed = file->keep(commit_of(2));
    REQUIRE_FALSE(failed.has_value());
    CHECK(describe(failed.error()).find(path) != std::string::npos);
    CHECK_FALSE(file->usable());
    CHECK_FALSE(file->known());
  }
  REQUIRE(file->usable());
  CHECK(content(path).find_first_not_of(" \n") == std::string::npos);
  REQUIRE(file->keep(commit_of(3)));
  CHECK(file->known() == commit_of(3));
}
