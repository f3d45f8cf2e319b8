// ReportedNames writes whose work it is as the broker learns it: by name, as a hash that a secret
// of the site keys, or not at all (config/AGENT_KEYS.md: tell_users, user_hash_file). With the same
// secret at all its agents a user has the same hash on each of a site's clusters.
#pragma once

#include <array>
#include <string>

namespace leasehold::agent {

class ReportedNames {
 public:
  /// Without `tells` nothing is reported. A secret that is empty: names are reported as they are.
  explicit ReportedNames(bool tells, const std::string& secret = {});

  bool any() const { return tells_; }
  /// Writes what is reported in place of these: 16 hexadecimal digits where names are hashed, else
  /// printable text; nothing stays "". A session that is all of the user's work ("user ann") stays
  /// one of that user.
  void write(std::string& session, std::string& user, std::string& account) const;

 private:
  std::string hash_of(const char* kind, const std::string& name) const;

  bool tells_;
  bool hashes_;
  std::array<unsigned char, 32> key_{};  // of BLAKE2b
};

}  // namespace leasehold::agent
