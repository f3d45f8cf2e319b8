#include "common/files/private_file.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "common/files/open_file.hpp"
#include "common/files/regular_file.hpp"

namespace leasehold {

namespace {

constexpr size_t kFileBytesMax = 4096;

struct Secret {
  const std::string& path;
  const SecretWords& words;

  tl::unexpected<Error> refuse(const std::string& what) const {
    return fail(ErrorCode::usage, std::string(words.what) + " " + path + " " + what);
  }
};

/// Checks the open file, so that the file that is read is the one that was checked.
Status check_private(const OpenFile& file, const Secret& secret) {
  struct stat about {};
  if (::fstat(file.fd(), &about) != 0) {
    return secret.refuse(std::string("cannot be read: ") + std::strerror(errno));
  }
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return secret.refuse("can be read or written by others than its owner: do chmod 600 " +
                         secret.path + ", and if somebody may have read it " + secret.words.again);
  }
  if (about.st_uid != ::geteuid() && about.st_uid != 0) {
    return secret.refuse("belongs to another user (number " + std::to_string(about.st_uid) +
                         "), who can read it: do chown " + std::to_string(::geteuid()) + " " +
                         secret.path);
  }
  return {};
}

Result<std::string> read_all(const OpenFile& file, const Secret& secret) {
  std::string text(kFileBytesMax + 1, '\0');
  size_t length = 0;
  while (length < text.size()) {
    const ssize_t got = ::read(file.fd(), text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return secret.refuse(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    length += static_cast<size_t>(got);
  }
  if (length > kFileBytesMax) {
    sodium_memzero(text.data(), text.size());
    return secret.refuse("has more than " + std::to_string(kFileBytesMax) +
                         " bytes: the rest would be cut off");
  }
  text.resize(length);
  return text;
}

/// Returns the lines that are not for people. ("#" alone is no mark of those: a key may begin with
/// it.)
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

}  // namespace

Result<std::vector<std::string>> read_private_lines(const std::string& path,
                                                    const SecretWords& words) {
  const Secret secret{path, words};
  const Result<OpenFile> file = open_regular_file(path, O_RDONLY);
  if (!file) {
    const bool missing = file.error().code == ErrorCode::unknown;
    return secret.refuse(missing ? std::string("is not there; ") + words.make
                                 : file.error().message);
  }
  if (Status good = check_private(*file, secret); !good) return tl::unexpected(good.error());
  Result<std::string> text = read_all(*file, secret);
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> lines = lines_of(*text);
  sodium_memzero(text->data(), text->size());
  return lines;
}

}  // namespace leasehold
