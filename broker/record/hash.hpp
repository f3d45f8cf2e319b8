// Hash: BLAKE2b-256, from which the chain over the log is made.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace leasehold {

using Hash = std::array<unsigned char, 32>;

Hash hash_of(std::string_view bytes);
std::string hex(const Hash& hash);
std::string_view bytes_of(const Hash& hash);
/// Returns false if the bytes are not those of a hash.
bool take_hash(std::string_view bytes, Hash& hash);

}  // namespace leasehold
