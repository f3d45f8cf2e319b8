// CompareMeter: the rule in force beside its shadow, over a stretch of time. Fed with the rows of
// history one after the other; adds up in integers.
//
// What is counted. An answer stands from the evaluation that recorded it until the next one that
// did, also while no broker ran, until its lease is closed or its policy has another shadow or
// rule. `flips` and `slots_moved` were carried out; `rule_moves` and `shadow_moves` are evaluations
// that decided to move, with the slots that they named. The shadow judged the state that the rule
// in force had made: no move of its own was made, so that the next decision may name it again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/record/history_row.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

class CompareMeter {
 public:
  /// Of a history that goes on from `state`; counts nothing that was before `from`.
  CompareMeter(const State& state, Instant from);

  /// Kinds of the rows that it takes, inputs among them.
  static std::vector<std::string> kinds();
  /// `at`: when it was; the time of the row, but where a clock was wrong. Error (corrupt): its
  /// bytes are not what is written.
  Status take(const HistoryRow& row, Instant at);
  /// Everything counted up to `until`; one row a lease, rule and shadow, by name. Leases of `state`
  /// that have a shadow are there though nothing of them was recorded.
  Json rows(const State& state, Instant until);

 private:
  struct Key {
    std::string lease;
    RuleKind rule{};
    RuleKind shadow{};
    auto operator<=>(const Key&) const = default;
  };
  /// What both said at an evaluation.
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
    int64_t evaluations = 0;
    int64_t flips = 0;
    int64_t slots_moved = 0;
    int64_t rule_moves = 0;
    int64_t rule_slots = 0;
    int64_t shadow_moves = 0;
    int64_t shadow_slots = 0;
    std::map<Answers, Stood> stood;
  };
  struct Standing {
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
  void count(Standing& standing, Instant until);
  void stop(int64_t generation, Instant at);
  Status take_shadow(const HistoryRow& row, Instant at);
  Json row_of(const Key& key, const Sums& sums) const;

  Instant from_;
  std::map<std::string, Rules> policies_;
  std::map<int64_t, Standing> standing_;  // by generation of the slot group
  std::map<Key, Sums> sums_;
};

}  // namespace leasehold
