// UsedByMeter: the slot-seconds of borrowed slots by whose work used them: by user, account, work
// session, or user and account, as agents reported it (SlotsUsed). It takes each number of an
// agent's state once, however often it was recorded. A stretch of which a part lies in the period
// counts by that part, as if its slots had been used evenly.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "broker/core/model/event.hpp"
#include "broker/views/json.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class Whose : uint8_t { user, account, session, user_account };
constexpr auto tokens_of(Whose) {
  using enum Whose;
  return tokens<Whose>(
      {{user, "user"}, {account, "account"}, {session, "session"}, {user_account, "user-account"}});
}

/// Rows add up the work of one name, of others, or of nobody whose name is known.
enum class UsedOf : uint8_t { named, others, unnamed };
constexpr auto tokens_of(UsedOf) {
  using enum UsedOf;
  return tokens<UsedOf>({{named, "named"}, {others, "others"}, {unnamed, "unnamed"}});
}

class UsedByMeter {
 public:
  /// Names beyond these are added up as others', whatever agents report.
  static constexpr size_t kNamesMost = 100'000;

  /// Counts [since, until).
  UsedByMeter(Whose whose, Instant since, Instant until)
      : whose_(whose), since_(since), until_(until) {}

  void take(const SlotsUsed& event);
  /// Returns a row for each cluster and name, one of others, and one of unnamed work.
  Json rows() const;

 private:
  struct Key {
    std::string cluster;
    UsedOf of = UsedOf::named;
    std::string name;
    auto operator<=>(const Key&) const = default;
  };
  __extension__ using Sum = __int128;  // slots times milliseconds

  void take(const std::string& cluster, const wire::UsedSlots& used);
  void add(const Key& key, int64_t slot_ms, const wire::UsedSlots& of);

  Whose whose_;
  Instant since_;
  Instant until_;
  std::set<std::tuple<std::string, uint64_t, uint64_t>> taken_;  // cluster, state, number
  std::map<Key, Sum> sums_;
  std::map<std::string, int64_t> counted_until_;  // by cluster
};

}  // namespace leasehold
