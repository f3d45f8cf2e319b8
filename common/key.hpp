// CURVE key pairs as people handle them: each half is 40 characters of Z85, the secret half in a
// file of its own. ZeroMQ does the encryption (channel/channel.hpp).
//
// A key file is text: lines that begin with "# " are for people, one line is the secret key. The
// public key is computed from it, so the two cannot contradict each other. Who may read the file is
// the key: nobody but its owner may.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.hpp"

namespace leasehold {

struct KeyPair {
  std::string public_key;
  std::string secret_key;
  bool operator==(const KeyPair&) const = default;
};

/// True if the text has the form of a key, public or secret: 40 characters of Z85.
bool is_curve_key(std::string_view text);

/// Draws the keys from the system's random numbers.
KeyPair new_key_pair();

/// Refuses (usage), saying what to do, a file that is not there, that others may read (chmod 600),
/// that belongs to somebody else or that holds no key. No message contains the secret.
Result<KeyPair> read_key_file(const std::string& path);

/// Creates the file with mode 0600, only if nothing of that name exists; it is on disk when this
/// returns. A line of the file names `what` for people: "east".
Status write_key_file(const std::string& path, const std::string& what, const KeyPair& keys);

/// Splits several public keys in one text at its spaces, which Z85 does not use. "" holds no key.
std::vector<std::string> split_keys(std::string_view text);
/// True if `text` holds `key`. No text holds "".
bool holds_key(std::string_view text, std::string_view key);

}  // namespace leasehold
