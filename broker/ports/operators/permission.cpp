#include "broker/ports/operators/permission.hpp"

#include "broker/views/catalogue.hpp"

namespace leasehold {

namespace {

constexpr size_t kNameBytesMax = 64;

}  // namespace

Kind kind_of(const std::string& command) {
  const RequestRow* row = find_request(command);
  if (row == nullptr) return Kind::unknown;
  return row->is_change() ? Kind::change : Kind::question;
}

std::string role_text(const Asker& asker) {
  return token(asker.role) + asker.branch;
}

std::optional<Error> forbidden(const Asker& asker, const std::string& command) {
  const RequestRow* row = find_request(command);
  const bool admins_alone = row != nullptr && (row->is_change() || row->admins_alone);
  if (!admins_alone || asker.role == Role::admin) return std::nullopt;
  return Error{ErrorCode::refused,
               "operator '" + asker.name + "' has the role " + role_text(asker) +
                   ", which may only ask: '" + command + "' needs the role admin",
               {},
               0,
               0};
}

Operators::Operators(const std::vector<OperatorConfig>& operators) {
  for (const OperatorConfig& each : operators) {
    for (const std::string& key : each.public_keys) {
      by_key_[key] = Asker{each.name, each.role, each.branch};
    }
  }
}

std::optional<Asker> Operators::who(const std::string& key) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  return found->second;
}

std::unordered_set<std::string> Operators::keys() const {
  std::unordered_set<std::string> keys;
  for (const auto& [key, asker] : by_key_) keys.insert(key);
  return keys;
}

Asker local_asker(std::string claimed) {
  claimed.resize(std::min(claimed.size(), kNameBytesMax));
  for (char& c : claimed) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return {claimed.empty() ? "local" : "local:" + claimed, Role::admin, ""};
}

}  // namespace leasehold
