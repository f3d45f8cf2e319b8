// Keys: CURVE key pairs as people handle them: 40 characters of Z85 each half, the secret half in a
// file of its own. Not the encryption (that is ZeroMQ's, behind channel/channel.hpp).
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

/// 40 characters of Z85: the form of a key, public or secret.
bool is_curve_key(std::string_view text);

/// From the system's random numbers.
KeyPair new_key_pair();

/// Refused (usage), saying what to do: not there, others may read it (chmod 600), it belongs to
/// somebody else, it holds no key. The secret is in no message.
Result<KeyPair> read_key_file(const std::string& path);

/// Made with mode 0600 and only if nothing of that name is there; on disk when this returns. `what`
/// is told in a line for people: "east".
Status write_key_file(const std::string& path, const std::string& what, const KeyPair& keys);

/// Several public keys in one text, a space between: Z85 has none. "" holds no key.
std::vector<std::string> split_keys(std::string_view text);
std::string join_keys(const std::vector<std::string>& keys);
/// `text` holds `key`; nothing holds "".
bool holds_key(std::string_view text, std::string_view key);

}  // namespace leasehold
