#include "broker/config/keys/reference.hpp"

#include "broker/config/keys/daemon.hpp"
#include "broker/config/keys/plan.hpp"
#include "common/config/keys/reference.hpp"

namespace leasehold {

// These say how files write values of the broker's own types; overloads find them by their
// arguments.
static std::string kind_of(const KeyRow&, const Shares&) {
  return "list of `{ cluster = \"west\", shares = 1 }`";
}
static std::string kind_of(const KeyRow&, const std::vector<WeekWindow>&) {
  return "list of `{ days = [\"sat\"], from = \"20:00\", to = \"06:00\" }`";
}
static std::string kind_of(const KeyRow&, const ConsumerList&) {
  return "list of paths, or `[\"*\"]`";
}
static std::string kind_of(const KeyRow&, const Role&) {
  return "text";
}

namespace {

constexpr const char* kHead =
    "# Keys of the broker's configuration\n"
    "\n"
    "Made by `lease-broker --describe-config`. Examples with every key: `broker.toml`, "
    "`plan.toml`.\n"
    "Durations carry their unit: ms s m h d, as in `\"1h30m\"`. Relative paths start at the folder "
    "of "
    "the file.\n";

std::string more_of(const KeyRow& row) {
  if (row.notes.variants == kEveryVariant) return "";
  return ". Of " + policy_words(row.notes.variants);
}

std::string neutral_word(Neutral neutral) {
  switch (neutral) {
    case Neutral::empty_list:
      return "`[]`";
    case Neutral::no_time:
      return "`\"0s\"`";
    case Neutral::zero:
      return "`0`";
    case Neutral::one:
      return "`1.0`";
  }
  return "";
}

void add_later(std::string_view section, KeyReference& reference) {
  for (const LaterKey& later : kLaterKeys) {
    if (later.section != section) continue;
    reference.add_one(later.name, "", neutral_word(later.neutral),
                      "anything else is refused: " + std::string(later.message));
  }
}

void add_windows(KeyReference& reference) {
  std::string in_windows;
  for_each_key(kConsumerKeys, [&](const auto& row) {
    if (!row.notes.in_windows) return;
    const size_t column = in_windows.size() - (in_windows.rfind('\n') + 1);
    if (!in_windows.empty()) in_windows += column > 100 ? ",\n" : ", ";
    in_windows += in_code(row.name);
  });
  reference.section("[[consumer.window]]",
                    "For part of the week any of these of its consumer:\n" + in_windows +
                        ".\nWindows must not overlap. These, and `window` of an export policy, "
                        "have");
  reference.add_one("days", "list of `\"sun\"` … `\"sat\"`", "every day", "on which it begins");
  reference.add_one("from", "`\"HH:MM\"`", "required", "");
  reference.add_one("to", "`\"HH:MM\"`, to `\"24:00\"`", "required",
                    "not included; may pass midnight");
}

void add_daemon(KeyReference& reference) {
  const BrokerConfig broker;
  const DaemonConfig daemon;
  reference.section("[broker]", "");
  reference.add(kBrokerKeys, broker, daemon);
  reference.section("[retention]", "");
  reference.add(kRetentionKeys, daemon);
  reference.section("[limits]", "What others may ask of the broker.");
  reference.add(kLimitsKeys, daemon.limits);
  reference.section("[http]",
                    "How HTTP is reached, and what others may ask by it: \"HTTP\" in the guide.");
  reference.add(kHttpKeys, daemon.http_limits);
  reference.section("[security]", "");
  reference.add(kSecurityKeys, daemon);
  reference.section(
      "[[operator]]",
      "Who may ask and give orders, where `control` is encrypted; and who may ask by HTTP.");
  reference.add(kOperatorKeys, OperatorConfig{});
}

void add_exports(KeyReference& reference) {
  reference.section("[[cluster]]", "The sites that export or borrow.");
  reference.add(kClusterKeys, ClusterConfig{}, ClusterFiles{});
  reference.section("[[export_policy]]", "LSF's HostExport.");
  reference.add(kExportPolicyKeys, ExportPolicy{});
  add_later("export_policy", reference);
  reference.section("[[shared_resource]]", "LSF's SharedResourceExport: follows exported hosts.");
  reference.add(kSharedResourceKeys, SharedResource{});
}

void add_plan(KeyReference& reference) {
  reference.section("[[resource_group]]",
                    "Slots that are shared out as one. What the keys of a plan do: "
                    "\"Resource plans, exactly\" in the guide.");
  reference.add(kResourceGroupKeys, ResourceGroup{}, Plan{});
  reference.section("[[consumer]]", "Declaration order is tree order.");
  reference.add(kConsumerKeys, PlanConsumer{}, ConsumerMembership{});
  add_windows(reference);
}

}  // namespace

std::string key_reference() {
  KeyReference reference(kHead, more_of);
  add_daemon(reference);
  add_exports(reference);
  add_plan(reference);
  return reference.take();
}

}  // namespace leasehold
