#include "broker/config/keys/reference.hpp"

#include "broker/config/keys/daemon.hpp"
#include "broker/config/keys/plan.hpp"
#include "common/instant.hpp"

namespace leasehold {

namespace {

constexpr const char* kHead =
    "# Keys of the broker's configuration\n"
    "\n"
    "Made by `lease-broker --describe-config`. Examples with every key: `broker.toml`, "
    "`plan.toml`.\n"
    "Durations carry their unit: ms s m h d, as in `\"1h30m\"`. Relative paths start at the folder "
    "of "
    "the file.\n";

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}
std::string quoted(std::string_view text) {
  return "`\"" + std::string(text) + "\"`";
}

// What a value is, as a file writes it.
std::string kind_of(const KeyRow&, const std::string&) {
  return "text";
}
std::string kind_of(const KeyRow&, bool) {
  return "`true` or `false`";
}
std::string kind_of(const KeyRow& row, int64_t) {
  const IntRange range = row.notes.range;
  switch (row.notes.unit) {
    case Unit::none:
      break;
    case Unit::milliseconds:
      return "duration, " + format_duration(range.min) + " … " + format_duration(range.max);
    case Unit::millionths:
      return "a part, 0.001 … 1.0";
  }
  return "number, " + std::to_string(range.min) + " … " + std::to_string(range.max);
}
std::string kind_of(const KeyRow& row, int32_t value) {
  return kind_of(row, int64_t{value});
}
std::string kind_of(const KeyRow&, const std::vector<std::string>&) {
  return "list of texts";
}
std::string kind_of(const KeyRow&, const std::vector<Share>&) {
  return "list of `{ cluster = \"west\", shares = 1 }`";
}
std::string kind_of(const KeyRow&, const std::vector<WeekWindow>&) {
  return "list of `{ days = [\"sat\"], from = \"20:00\", to = \"06:00\" }`";
}
std::string kind_of(const KeyRow&, const ConsumerList&) {
  return "list of paths, or `[\"*\"]`";
}
std::string kind_of(const KeyRow&, Role) {
  return "text";
}
template <Tokened E>
std::string kind_of(const KeyRow&, const E&) {
  std::string words;
  for (const auto& [value, word] : kTokensOf<E>)
    words += (words.empty() ? "" : ", ") + quoted(word);
  return words;
}
template <class T>
std::string kind_of(const KeyRow& row, const std::optional<T>&) {
  return kind_of(row, T{});
}

// What it is where nobody writes it.
std::string default_of(const KeyRow&, const std::string& value) {
  return quoted(value);
}
std::string default_of(const KeyRow&, bool value) {
  return value ? "`true`" : "`false`";
}
std::string default_of(const KeyRow& row, int64_t value) {
  if (row.notes.unit == Unit::milliseconds) return quoted(format_duration(value));
  return row.notes.unit == Unit::millionths ? "`1.0`" : code(std::to_string(value));
}
std::string default_of(const KeyRow&, int32_t value) {
  return code(std::to_string(value));
}
template <class T>
std::string default_of(const KeyRow&, const std::vector<T>&) {
  return "`[]`";
}
template <Tokened E>
std::string default_of(const KeyRow&, const E& value) {
  return quoted(token(value));
}
template <class T>
std::string default_of(const KeyRow&, const T&) {
  return "";  // KeyNotes::usual has it
}

std::string sentence(const std::string& text) {
  return text.empty() ? "" : ". " + text;
}

std::string notes_of(const KeyRow& row) {
  const KeyNotes& notes = row.notes;
  std::string text(notes.help);
  if (!notes.lsf.empty()) text += sentence("LSF: " + std::string(notes.lsf));
  if (notes.policies != kEveryPolicy) text += sentence("Of " + policy_words(notes.policies));
  if (notes.at_start) text += sentence("Changes with the next start only");
  return text;
}

void add_row(const std::string& name, const std::string& kind, const std::string& usual,
             const std::string& notes, std::string& text) {
  text += "| " + code(name) + " | " + kind + " | " + usual + " | " + notes + " |\n";
}

class Reference {
 public:
  void section(const std::string& title, const std::string& about) {
    text_ += "\n## " + title + "\n\n" + (about.empty() ? "" : about + "\n\n") +
             "| Key | Is | Default | |\n|---|---|---|---|\n";
  }

  template <class Keys, class... Parts>
  void add(const Keys& keys, const Parts&... plain) {
    for_each_value(
        keys, [&](const KeyRow& row, const auto& value) { add(row, value); }, plain...);
  }
  void add_later(std::string_view section) {
    for (const LaterKey& later : kLaterKeys) {
      if (later.section != section) continue;
      add_row(std::string(later.name), "", later.may_be_empty ? "`\"\"`" : "",
              "refused: " + std::string(later.message), text_);
    }
  }
  void add_windows() {
    for_each_key(kConsumerKeys, [&](const auto& row) {
      if (row.notes.in_windows) in_windows_ += (in_windows_.empty() ? "" : ", ") + code(row.name);
    });
    text_ += "\n## [[consumer.window]]\n\nFor part of the week any of " + in_windows_ +
             " of its consumer; windows must not overlap. These, and `window` of an export policy, "
             "have\n\n| Key | Is | Default | |\n|---|---|---|---|\n";
    add_row("days", "list of `\"sun\"` … `\"sat\"`", "every day", "on which it begins", text_);
    add_row("from", "`\"HH:MM\"`", "required", "", text_);
    add_row("to", "`\"HH:MM\"`, to `\"24:00\"`", "required", "not included; may pass midnight",
            text_);
  }
  std::string take() { return std::move(text_); }

 private:
  template <class Value>
  void add(const KeyRow& row, const Value& value) {
    const std::string usual = !row.notes.wanted.empty() ? "required"
                              : row.notes.usual.empty() ? default_of(row, value)
                                                        : std::string(row.notes.usual);
    add_row(std::string(row.name), kind_of(row, value), usual, notes_of(row), text_);
  }

  std::string text_ = kHead;
  std::string in_windows_;
};

void add_daemon(Reference& reference) {
  const BrokerConfig broker;
  const DaemonConfig daemon;
  reference.section("[broker]", "");
  reference.add(kBrokerKeys, broker, daemon);
  reference.add_later("broker");
  reference.section("[retention]", "");
  reference.add(kRetentionKeys, daemon);
  reference.section("[limits]", "What others may ask of the broker.");
  reference.add(kLimitsKeys, daemon.limits);
  reference.section("[http]", "");
  reference.add_later("http");
  reference.section("[security]", "");
  reference.add(kSecurityKeys, daemon);
  reference.section("[[operator]]", "Who may ask and give orders, where `control` is encrypted.");
  reference.add(kOperatorKeys, OperatorConfig{});
  reference.add_later("operator");
}

void add_exports(Reference& reference) {
  reference.section("[[cluster]]", "The sites that export or borrow.");
  reference.add(kClusterKeys, ClusterConfig{}, ClusterFiles{});
  reference.section("[[export_policy]]", "LSF's HostExport.");
  reference.add(kExportPolicyKeys, ExportPolicy{});
  reference.add_later("export_policy");
  reference.section("[[shared_resource]]", "LSF's SharedResourceExport: follows exported hosts.");
  reference.add(kSharedResourceKeys, SharedResource{});
}

void add_plan(Reference& reference) {
  reference.section("[[resource_group]]",
                    "Slots that are shared out as one. What the keys of a plan do: "
                    "`broker/rules/plan/README.md`.");
  reference.add(kResourceGroupKeys, ResourceGroup{}, Plan{});
  reference.section("[[consumer]]", "Declaration order is tree order.");
  reference.add(kConsumerKeys, PlanConsumer{}, ConsumerMembership{});
  reference.add_windows();
}

}  // namespace

std::string key_reference() {
  Reference reference;
  add_daemon(reference);
  add_exports(reference);
  add_plan(reference);
  return reference.take();
}

}  // namespace leasehold
