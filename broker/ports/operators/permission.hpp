// Permission tells who asks at the control endpoint, and what that operator may do. Pure. A CURVE
// key has proved the identity; on a plain endpoint whoever reaches it is the machine's own admin.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "broker/config/daemon.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The operator who asks; the history and the log use `name`.
struct Asker {
  std::string name;
  Role role = Role::read;
  std::string branch;  // of the consumer tree; only a branch_admin has one
};

enum class Kind : uint8_t {
  question,  // changes nothing
  change,    // of leases, clusters, the configuration
  unknown,   // no command of ours: whoever asks may hear that
};
Kind kind_of(const std::string& command);

/// nullopt: the command is allowed. Else the Error names the role that it needs.
std::optional<Error> forbidden(const Asker& asker, const std::string& command);

/// Returns "read", "admin", "admin:/research", as it is configured.
std::string role_text(const Asker& asker);

/// The operators of the configuration, by the keys that they prove.
class Operators {
 public:
  Operators() = default;
  explicit Operators(const std::vector<OperatorConfig>& operators);

  /// Returns nullopt if the key belongs to no operator, or no longer does.
  std::optional<Asker> who(const std::string& key) const;
  std::unordered_set<std::string> keys() const;

 private:
  std::unordered_map<std::string, Asker> by_key_;
};

/// Returns the asker at a plain endpoint, by the name that the peer claims: "local:ana". No
/// operator can have that name.
Asker local_asker(std::string claimed);

}  // namespace leasehold
