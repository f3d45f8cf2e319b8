#include "agent/io/broker/identity.hpp"

#include <sodium.h>
#include <sys/stat.h>

#include <array>
#include <fstream>

#include "common/random.hpp"

namespace leasehold::agent {

namespace {

/// Returns 16 hexadecimal digits that do not reveal the text; "" for "".
std::string hash_of(const std::string& text) {
  if (text.empty()) return "";
  std::array<unsigned char, crypto_generichash_BYTES_MIN> digest{};
  const std::string salted = "leasehold agent " + text;
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(salted.data()), salted.size(), nullptr,
                     0);
  constexpr const char* kDigits = "0123456789abcdef";
  std::string hex;
  for (size_t i = 0; i < 8; ++i) {
    hex += kDigits[digest[i] >> 4U];
    hex += kDigits[digest[i] & 15U];
  }
  return hex;
}

/// Returns the boot id in a container that has no machine id.
std::string machine_id(const TimeSource& time) {
  for (const char* name : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    std::ifstream file(name);
    std::string id;
    if (std::getline(file, id) && !id.empty()) return id;
  }
  return time.boot_id();
}

}  // namespace

wire::Identity identity_of(const std::string& state, const TimeSource& time) {
  wire::Identity identity;
  identity.machine = hash_of(machine_id(time));
  identity.boot = hash_of(time.boot_id());
  struct stat file {};
  if (::stat(state.c_str(), &file) == 0) identity.file = file.st_ino;
  identity.process = random_u64();
  return identity;
}

}  // namespace leasehold::agent
