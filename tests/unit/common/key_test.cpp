// Key files as they lie on a disk.
#include "common/key.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

#include "common/text/joined.hpp"

namespace leasehold {

namespace {

/// A path in a folder of its own, for each test.
class Folder {
 public:
  Folder() {
    std::string name = "/tmp/leasehold-key-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    for (const char* name : {"/east.key", "/link.key"}) static_cast<void>(remove(at(name).c_str()));
    rmdir(path_.c_str());
  }
  std::string at(const std::string& name) const { return path_ + name; }

 private:
  std::string path_;
};

void write(const std::string& path, const std::string& text, mode_t mode = 0600) {
  std::ofstream(path) << text;
  REQUIRE(chmod(path.c_str(), mode) == 0);
}

std::string refusal(const std::string& path) {
  const auto keys = read_key_file(path);
  REQUIRE_FALSE(keys);
  CHECK(keys.error().code == ErrorCode::usage);
  return keys.error().message;
}

}  // namespace

TEST_CASE("a key file is made for its owner alone and read back") {
  const Folder folder;
  const std::string path = folder.at("/east.key");
  const KeyPair keys = new_key_pair();
  CHECK(is_curve_key(keys.public_key));
  CHECK(is_curve_key(keys.secret_key));
  const mode_t before = umask(0);  // not the mask makes it private
  const Status written = write_key_file(path, "east", keys);
  umask(before);
  REQUIRE(written);
  struct stat about {};
  REQUIRE(stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0600);
  CHECK(read_key_file(path) == keys);
  CHECK(new_key_pair().secret_key != keys.secret_key);
}

TEST_CASE("a key file that is there is never written over") {
  const Folder folder;
  const std::string path = folder.at("/east.key");
  write(path, "precious");
  const Status again = write_key_file(path, "east", new_key_pair());
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::refused);
  std::string kept;
  std::ifstream(path) >> kept;
  CHECK(kept == "precious");
  // Nor is a link followed to where it leads.
  REQUIRE(symlink("/tmp/leasehold-nowhere", folder.at("/link.key").c_str()) == 0);
  CHECK_FALSE(write_key_file(folder.at("/link.key"), "east", new_key_pair()));
  CHECK(write_key_file("/nonexistent/x.key", "x", new_key_pair()).error().code == ErrorCode::io);
}

TEST_CASE("a secret key that others can read is refused with what to do") {
  const Folder folder;
  const std::string path = folder.at("/east.key");
  const KeyPair keys = new_key_pair();
  for (const mode_t mode : {0640, 0604, 0660, 0601, 0644, 0777}) {
    write(path, keys.secret_key + "\n", mode);
    INFO(mode);
    CHECK_THAT(refusal(path), Catch::Contains("chmod 600 " + path));
  }
  for (const mode_t mode : {0600, 0400}) {
    write(path, keys.secret_key + "\n", mode);
    CHECK(read_key_file(path) == keys);
  }
  CHECK_THAT(refusal(folder.at("/none.key")), Catch::Contains("leasectl keygen"));
  CHECK_THAT(refusal(folder.at("")), Catch::Contains("a regular file is wanted"));
}

TEST_CASE("a file without exactly one secret key is refused and not shown") {
  const Folder folder;
  const std::string path = folder.at("/east.key");
  const std::string secret = new_key_pair().secret_key;
  for (const std::string& text :
       {std::string(), std::string("# only words\n"), secret.substr(1), secret + "x",
        secret + "\n" + secret + "\n", std::string(40, ' '), std::string(40, '#')}) {
    write(path, text);
    INFO(text);
    const std::string message = refusal(path);
    CHECK_THAT(message, Catch::Contains("40 characters of Z85"));
    CHECK_THAT(message, !Catch::Contains(secret.substr(1)));
  }
}

// Symptom: what stood behind 4,096 bytes was cut off, and what was left of a token passed for one.
TEST_CASE("a file of keys that is longer than any may be is refused") {
  const Folder folder;
  const std::string path = folder.at("/east.key");
  write(path, "# " + std::string(5'000, 'x') + "\n" + new_key_pair().secret_key + "\n");
  CHECK_THAT(refusal(path), Catch::Contains("has more than 4096 bytes"));
}

TEST_CASE("a key that begins like a comment is a key") {
  const Folder folder;
  const std::string path = folder.at("/east.key");
  // A secret may begin with '#', which also opens the lines for people.
  const std::string secret = "#" + new_key_pair().secret_key.substr(1);
  if (!is_curve_key(secret)) return;  // "#…" above 32 bits: no key can have it
  write(path, "# for people\n\n" + secret + "\r\n");
  CHECK(read_key_file(path)->secret_key == secret);
}

TEST_CASE("several public keys stand in one text") {
  const std::string a = new_key_pair().public_key;
  const std::string b = new_key_pair().public_key;
  CHECK(split_keys(joined(std::vector{a, b}, " ")) == std::vector<std::string>{a, b});
  CHECK(split_keys("").empty());
  CHECK(holds_key(joined(std::vector{a, b}, " "), a));
  CHECK(holds_key(joined(std::vector{a, b}, " "), b));
  CHECK_FALSE(holds_key(a, b));
  CHECK_FALSE(holds_key(joined(std::vector{a, b}, " "), ""));
  CHECK_FALSE(holds_key("", ""));
  CHECK_FALSE(holds_key(joined(std::vector{a, b}, " "), a.substr(1) + " "));
  CHECK_FALSE(is_curve_key(std::string(40, '#')));
}

}  // namespace leasehold
