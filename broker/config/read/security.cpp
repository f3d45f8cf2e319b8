#include "broker/config/read/security.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "broker/config/check/check.hpp"
#include "broker/config/keys/daemon.hpp"
#include "broker/config/read/key_reader.hpp"
#include "common/key.hpp"

namespace leasehold {

namespace {

/// True for the form of a consumer's path: "/research/genomics".
bool is_branch(std::string_view path) {
  return path.size() > 1 && path.front() == '/' && path.back() != '/' &&
         path.find("//") == std::string_view::npos &&
         path.find_first_of(" \t") == std::string_view::npos;
}

void read_role(const ConfigTable& table, OperatorConfig& operator_config) {
  const std::string role = table.text("role", token(Role::read));
  const std::optional<Role> known = from_token<Role>(role);
  if (known && *known != Role::branch_admin) {
    operator_config.role = *known;
    return;
  }
  const std::string_view of_branch = token(Role::branch_admin);
  operator_config.branch = role.starts_with(of_branch) ? role.substr(of_branch.size()) : "";
  if (is_branch(operator_config.branch)) {
    operator_config.role = Role::branch_admin;
    return;
  }
  table.error("role", "role \"" + role +
                          "\" is unknown; write read, admin, or admin:/consumer/path, which may "
                          "ask, and by HTTP sees that branch alone");
}

OperatorConfig read_operator(const ConfigTable& table, const std::string& file) {
  OperatorConfig operator_config;
  Written written;
  KeyReader reader(table, file, written);
  reader.read(kOperatorKeys, operator_config);
  operator_config.source = source_of(written.section);
  const std::string fault = name_fault(operator_config.name);
  if (!fault.empty()) {
    table.error("name", "operator " + in_quotes(operator_config.name) + ": " + fault);
  }
  operator_config.token_file = relative_to(file, operator_config.token_file);
  operator_config.public_keys = read_public_keys(table);
  if (!table.has("public_key") && operator_config.token_file.empty()) {
    table.error(
        "public_key",
        "'public_key' is missing; it is what `leasectl keygen` prints for the operator (for "
        "HTTP alone a 'token_file' will do)");
  }
  read_role(table, operator_config);
  return operator_config;
}

void read_operators(const ConfigTable& root, const std::string& file, DaemonConfig& daemon) {
  std::set<std::string> names;
  for (const ConfigTable& table : root.tables("operator")) {
    OperatorConfig operator_config = read_operator(table, file);
    if (!operator_config.name.empty() && !names.insert(operator_config.name).second) {
      table.error("name",
                  "operator '" + operator_config.name + "' is defined twice; names are unique");
    }
    daemon.operators.push_back(std::move(operator_config));
  }
}

Spot spot_of(const OperatorConfig& operator_config) {
  return {operator_config.source.file, {operator_config.source.line, 0}};
}

/// Tells of a key that has another owner already.
class Owners {
 public:
  explicit Owners(Findings& findings) : findings_(findings) {}

  void take(const std::string& key, const std::string& owner, const Spot& spot) {
    const auto [entry, is_new] = owners_.try_emplace(key, owner);
    if (is_new) return;
    findings_.error(spot, "the 'public_key' of " + owner + " is that of " + entry->second +
                              " too; every cluster and every operator needs a key of its own: "
                              "leasectl keygen");
  }

 private:
  Findings& findings_;
  std::map<std::string, std::string> owners_;
};

void check_owners(const Drafts& drafts, const DaemonConfig& daemon, Findings& findings) {
  Owners owners(findings);
  for (const ClusterDraft& draft : drafts.clusters) {
    for (const std::string& key : split_keys(draft.cluster.public_key)) {
      owners.take(key, "cluster " + in_quotes(draft.cluster.name), draft.spot);
    }
  }
  for (const OperatorConfig& each : daemon.operators) {
    for (const std::string& key : each.public_keys) {
      owners.take(key, "operator " + in_quotes(each.name), spot_of(each));
    }
  }
}

/// Compares clusters with and without keys with what their agents meet.
void check_cluster_keys(const Drafts& drafts, bool curve, Findings& findings) {
  for (const ClusterDraft& draft : drafts.clusters) {
    const bool has_key = !draft.cluster.public_key.empty();
    if (has_key == curve) continue;
    findings.warn(draft.spot,
                  "cluster " + in_quotes(draft.cluster.name) +
                      (curve ? " has no 'public_key': its agent cannot connect; make one with "
                               "leasectl keygen"
                             : ": its 'public_key' is not asked for, because 'listen' is plain "
                               "(loopback without [security], or ipc)"));
  }
}

/// Behind a proxy every request needs a token; without HTTP nobody asks for one.
void check_tokens(const DaemonConfig& daemon, Findings& findings) {
  const auto with =
      std::find_if(daemon.operators.begin(), daemon.operators.end(),
                   [](const OperatorConfig& each) { return !each.token_file.empty(); });
  const bool any = with != daemon.operators.end();
  if (any && daemon.http.empty()) {
    findings.warn(spot_of(*with),
                  "operator " + in_quotes(with->name) +
                      ": its 'token_file' is not asked for, because 'http' is \"\"");
  }
  const bool needed = !daemon.http_limits.base_path.empty() ||
                      (daemon.http_written && !daemon.secret_key_file.empty());
  if (!any && !daemon.http.empty() && needed) {
    findings.warn(
        {daemon.file, {}},
        "with [http] base_path, or [security], every request by HTTP needs a token, and no "
        "[[operator]] has a 'token_file'");
  }
}

}  // namespace

bool speaks_curve(const DaemonConfig& daemon, const std::string& endpoint) {
  return endpoint.starts_with("tcp://") && !daemon.secret_key_file.empty();
}

std::string base_path_fault(const std::string& text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  const bool right = text.empty() || (text.front() == '/' && text.back() != '/' &&
                                      text.find("//") == std::string::npos &&
                                      text.find("/.") == std::string::npos &&
                                      text.find_first_not_of(kAllowed) == std::string::npos);
  return right ? ""
               : "'base_path' is " + in_quotes(text) +
                     "; it begins with a slash and ends with none, as /leasehold, or is \"\"";
}

std::vector<std::string> read_public_keys(const ConfigTable& table) {
  const bool there = table.has("public_key");
  std::vector<std::string> keys = table.text_or_texts("public_key");
  const auto broken = std::find_if_not(keys.begin(), keys.end(), is_curve_key);
  if (broken != keys.end()) {
    table.error("public_key", "'public_key': '" + *broken +
                                  "' is no CURVE key; it has 40 characters of Z85, as leasectl "
                                  "keygen prints them");
    return {};
  }
  if (there && keys.empty() && table.kind("public_key") == ConfigKind::list) {
    table.error("public_key", "'public_key' is an empty list; write a key, or leave it out");
  }
  return keys;
}

bool read_security(const ConfigTable& root, const std::string& file, DaemonConfig& daemon) {
  const ConfigTable security = root.table("security");
  if (security.present()) {
    Written written;
    KeyReader(security, file, written).read(kSecurityKeys, daemon);
    daemon.secret_key_file = relative_to(file, daemon.secret_key_file);
    daemon.secret_key_written = source_of(written.at(&DaemonConfig::secret_key_file));
  }
  read_operators(root, file, daemon);
  return security.present();
}

void check_keys(const Drafts& drafts, const DaemonConfig& daemon, Findings& findings) {
  check_owners(drafts, daemon, findings);
  check_cluster_keys(drafts, speaks_curve(daemon, daemon.listen), findings);
  check_tokens(daemon, findings);
  const bool asked = speaks_curve(daemon, daemon.control);
  const auto keyed =
      std::find_if(daemon.operators.begin(), daemon.operators.end(),
                   [](const OperatorConfig& each) { return !each.public_keys.empty(); });
  if (!asked && keyed != daemon.operators.end()) {
    findings.warn(
        spot_of(*keyed),
        "operators cannot be distinguished: 'control' is plain (loopback without [security], "
        "or ipc), and whoever reaches it may do everything");
  }
  if (asked && keyed == daemon.operators.end()) {
    findings.warn({daemon.secret_key_written.file, {daemon.secret_key_written.line, 0}},
                  "there is no [[operator]]: leasectl cannot connect to 'control'");
  }
}

}  // namespace leasehold
