#include "common/key.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/check.hpp"
#include "common/files/durable.hpp"
#include "common/files/open_file.hpp"
#include "common/files/private_file.hpp"

namespace leasehold {

namespace {

constexpr size_t kKeyLength = 40;
constexpr size_t kKeyBytes = 32;
using KeyText = std::array<char, kKeyLength + 1>;

constexpr SecretWords kWords{"the key file", "leasectl keygen makes one",
                             "make a new key (leasectl keygen)"};

}  // namespace

bool is_curve_key(std::string_view text) {
  constexpr std::string_view kZ85 =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
  if (text.size() != kKeyLength || text.find_first_not_of(kZ85) != std::string_view::npos) {
    return false;
  }
  // Not every five characters of Z85 are a number of 32 bits.
  const std::string whole(text);
  std::array<uint8_t, kKeyBytes> bytes{};
  return zmq_z85_decode(bytes.data(), whole.c_str()) != nullptr;
}

KeyPair new_key_pair() {
  KeyText open{};
  KeyText secret{};
  const int made = zmq_curve_keypair(open.data(), secret.data());
  LEASEHOLD_CHECK(made == 0, "this libzmq was built with CURVE");
  KeyPair keys{open.data(), secret.data()};
  sodium_memzero(secret.data(), secret.size());
  return keys;
}

Result<KeyPair> read_key_file(const std::string& path) {
  const Result<std::vector<std::string>> read = read_private_lines(path, kWords);
  if (!read) return tl::unexpected(read.error());
  const std::vector<std::string>& lines = *read;
  KeyText open{};
  if (lines.size() != 1 || !is_curve_key(lines.front()) ||
      zmq_curve_public(open.data(), lines.front().c_str()) != 0) {
    return fail(ErrorCode::usage, "the key file " + path +
                                      " holds no secret key: one line of 40 characters of Z85, as "
                                      "leasectl keygen writes it");
  }
  return KeyPair{open.data(), lines.front()};
}

Status write_key_file(const std::string& path, const std::string& what, const KeyPair& keys) {
  const OpenFile file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.fd() < 0) {
    if (errno == EEXIST) {
      return fail(ErrorCode::refused,
                  path +
                      " is there already and is left as it is: choose another name, or move it "
                      "away first");
    }
    return fail(ErrorCode::io, path + " cannot be made: " + std::strerror(errno));
  }
  std::string text =
      "# Leasehold: the secret key of " + what +
      " (CURVE, Z85). It stays on this machine, mode 0600.\n# Its public key: " + keys.public_key +
      "\n" + keys.secret_key + "\n";
  const bool written = write_all(file.fd(), text) && ::fsync(file.fd()) == 0;
  sodium_memzero(text.data(), text.size());
  if (written) return {};
  const std::string why = std::strerror(errno);
  ::unlink(path.c_str());
  return fail(ErrorCode::io, path + " cannot be written: " + why);
}

std::vector<std::string> split_keys(std::string_view text) {
  std::vector<std::string> keys;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) keys.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return keys;
}

bool holds_key(std::string_view text, std::string_view key) {
  if (key.size() != kKeyLength) return false;
  for (size_t at = 0; at + kKeyLength <= text.size(); at += kKeyLength + 1) {
    if (text.substr(at, kKeyLength) == key) return true;
  }
  return false;
}

}  // namespace leasehold
