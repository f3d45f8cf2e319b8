#include "common/key.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/check.hpp"

namespace leasehold {

namespace {

constexpr size_t kKeyLength = 40;
constexpr size_t kKeyBytes = 32;
constexpr size_t kFileBytesMax = 4096;
using KeyText = std::array<char, kKeyLength + 1>;

tl::unexpected<Error> refuse(const std::string& path, const std::string& what) {
  return fail(ErrorCode::usage, "the key file " + path + " " + what);
}

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// Asked of the open file: what is read is what was looked at.
Status check_private(const OpenFile& file, const std::string& path) {
  struct stat about {};
  if (::fstat(file.fd(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return refuse(path, "is not a plain file; leasectl keygen makes one");
  }
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return refuse(path, "can be read or written by others than its owner: do chmod 600 " + path +
                            ", and if somebody may have read it make a new key (leasectl keygen)");
  }
  if (about.st_uid != ::geteuid() && about.st_uid != 0) {
    return refuse(path, "belongs to another user (number " + std::to_string(about.st_uid) +
                            "), who can read it: do chown " + std::to_string(::geteuid()) + " " +
                            path);
  }
  return {};
}

Result<std::string> read_all(const OpenFile& file, const std::string& path) {
  std::string text(kFileBytesMax + 1, '\0');
  size_t length = 0;
  while (length < text.size()) {
    const ssize_t got = ::read(file.fd(), text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(path, std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    length += static_cast<size_t>(got);
  }
  text.resize(length);
  return text;
}

/// The lines that are not for people. ("#" alone does not tell: a key may begin with it.)
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with("# ")) lines.emplace_back(line);
  }
  return lines;
}

bool write_all(int fd, const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t put = ::write(fd, text.data() + written, text.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    written += static_cast<size_t>(put);
  }
  return ::fsync(fd) == 0;
}

}  // namespace

bool is_curve_key(std::string_view text) {
  constexpr std::string_view kZ85 =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
  if (text.size() != kKeyLength || text.find_first_not_of(kZ85) != std::string_view::npos) {
    return false;
  }
  // Not every five characters are a number of 32 bits.
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
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd() < 0) {
    const bool missing = errno == ENOENT;
    const std::string why = std::strerror(errno);
    return missing ? refuse(path, "is not there; leasectl keygen makes one")
                   : refuse(path, "cannot be read: " + why);
  }
  if (Status good = check_private(file, path); !good) return tl::unexpected(good.error());
  Result<std::string> text = read_all(file, path);
  if (!text) return tl::unexpected(text.error());
  const std::vector<std::string> lines = lines_of(*text);
  sodium_memzero(text->data(), text->size());
  KeyText open{};
  if (lines.size() != 1 || !is_curve_key(lines.front()) ||
      zmq_curve_public(open.data(), lines.front().c_str()) != 0) {
    return refuse(path,
                  "holds no secret key: one line of 40 characters of Z85, as leasectl keygen "
                  "writes it");
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
  const bool written = write_all(file.fd(), text);
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

std::string join_keys(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : " ") + key;
  return text;
}

bool holds_key(std::string_view text, std::string_view key) {
  if (key.size() != kKeyLength) return false;
  for (size_t at = 0; at + kKeyLength <= text.size(); at += kKeyLength + 1) {
    if (text.substr(at, kKeyLength) == key) return true;
  }
  return false;
}

}  // namespace leasehold
