#include "broker/record/hash.hpp"

#include <sodium.h>

#include <algorithm>

namespace leasehold {

Hash hash_of(std::string_view bytes) {
  Hash hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                     bytes.size(), nullptr, 0);
  return hash;
}

std::string hex(const Hash& hash) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : hash) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string_view bytes_of(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

bool take_hash(std::string_view bytes, Hash& hash) {
  if (bytes.size() != hash.size()) return false;
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return true;
}

}  // namespace leasehold
