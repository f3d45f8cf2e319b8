// Permission: who asks at the control endpoint, and what that one may do. Pure. Who somebody is was
// proved by a CURVE key; on a plain endpoint whoever reaches it is the machine's own admin.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "broker/config/daemon.hpp"
#include "common/result.hpp"

namespace leasehold {

/// As history and log name them.
struct Asker {
  std::string name;
  Role role = Role::read;
  std::string branch;  // of a branch_admin
};

enum class Kind : uint8_t {
  question,  // changes nothing
  change,    // of leases, clusters, the configuration
  unknown,   // no command of ours: whoever asks may hear that
};
Kind kind_of(const std::string& command);

/// nullopt: allowed. Else what this role lacks, naming it.
std::optional<Error> forbidden(const Asker& asker, const std::string& command);

/// "read", "admin", "admin:/research": as it is configured.
std::string role_text(const Asker& asker);

/// The operators of the configuration, by the keys that they prove.
class Operators {
 public:
  Operators() = default;
  explicit Operators(const std::vector<OperatorConfig>& operators);

  /// nullopt: the key is nobody's (any more).
  std::optional<Asker> who(const std::string& key) const;
  std::unordered_set<std::string> keys() const;

 private:
  std::unordered_map<std::string, Asker> by_key_;
};

/// Whoever reaches a plain endpoint, by their own word: "local:ana". No operator can have that
/// name.
Asker local_asker(std::string claimed);

}  // namespace leasehold
