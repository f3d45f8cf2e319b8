// CompareMeter: compares the rule in force with its shadow over a stretch of time. It is given the
// rows of history one after the other, and adds up in integers.
//
// An answer lasts from the evaluation that recorded it until the next recorded one, even while no
// broker runs, until its lease is closed or its policy has another shadow or rule. The shadow
// judged the state that the rule in force had made: its own moves were not made, so that its next
// decision may name the same slots again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/record/history_row.hpp"
#include "broker/views/json.hpp"
#include "broker/views/leases/compared.hpp"
#include "common/result.hpp"

namespace leasehold {

class CompareMeter {
 public:
  /// Begins with the history after `state`; counts nothing before `from`.
  CompareMeter(const State& state, Instant from);

  /// Returns the kinds of rows that it takes, inputs among them.
  static std::vector<std::string> kinds();
  /// Takes a row that happened at `at`, which is its time unless a clock was wrong. Error
  /// (corrupt): its bytes are not what a broker writes.
  Status take(const HistoryRow& row, Instant at);
  /// Counts up to `until`, and returns one row for each lease, rule and shadow, by name. Leases of
  /// `state` with a shadow have a row even if nothing was recorded of them.
  Json rows(const State& state, Instant until);

 private:
  struct Key {
    std::string lease;
    RuleKind rule{};
    RuleKind shadow{};
    auto operator<=>(const Key&) const = default;
  };
  /// The answers of both rules at an evaluation.
  struct Answers {
    std::string rule_reason;
    std::string shadow_reason;
    bool same = false;
    auto operator<=>(const Answers&) const = default;
  };
  struct Stood {
    int64_t ms = 0;
    int64_t evaluations = 0;
  };
  struct Sums {
    ComparedCounts counts;
    std::map<Answers, Stood> stood;
  };
  struct LastingAnswer {
    Key key;
    Answers answers;
    Instant since;
  };
  struct Rules {
    std::string provider;
    RuleKind rule{};
    std::optional<RuleKind> shadow;
  };

  void configured(const ExportPolicy& policy);
  void configured(const BrokerConfig& config, Instant at);
  std::optional<Key> key_of(const std::string& lease) const;
  void count(LastingAnswer& lasting, Instant until);
  void stop(int64_t generation, Instant at);
  Status take_shadow(const HistoryRow& row, Instant at);
  Json row_of(const Key& key, const Sums& sums) const;

  Instant from_;
  std::map<std::string, Rules> policies_;
  std::map<int64_t, LastingAnswer> lasting_;  // by generation of the slot group
  std::map<Key, Sums> sums_;
};

}  // namespace leasehold
