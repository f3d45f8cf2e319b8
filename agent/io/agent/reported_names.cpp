#include "agent/io/agent/reported_names.hpp"

#include <sodium.h>

#include "common/text/printable.hpp"

namespace leasehold::agent {

namespace {

/// libsodium's keyed hash (BLAKE2b, RFC 7693).
template <size_t Size>
void hash_into(std::array<unsigned char, Size>& hash, const std::string& text,
               const unsigned char* key, size_t key_size) {
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), key, key_size);
}

}  // namespace

ReportedNames::ReportedNames(bool tells, const std::string& secret)
    : tells_(tells), hashes_(!secret.empty()) {
  if (hashes_) hash_into(key_, secret, nullptr, 0);
}

void ReportedNames::write(std::string& session, std::string& user, std::string& account) const {
  if (!hashes_ || !tells_) {
    for (std::string* name : {&session, &user, &account}) *name = tells_ ? printable(*name) : "";
    return;
  }
  const bool of_user = session == "user " + user;
  user = hash_of("user", user);
  account = hash_of("account", account);
  session = of_user ? "user " + user : hash_of("session", session);
}

/// An account that is called as a user is has another hash.
std::string ReportedNames::hash_of(const char* kind, const std::string& name) const {
  if (name.empty()) return "";
  std::array<unsigned char, crypto_generichash_BYTES_MIN> hash{};
  hash_into(hash, std::string(kind) + " " + name, key_.data(), key_.size());
  std::string digits(17, '\0');
  sodium_bin2hex(digits.data(), digits.size(), hash.data(), 8);
  digits.pop_back();  // libsodium appends a terminating zero
  return digits;
}

}  // namespace leasehold::agent
