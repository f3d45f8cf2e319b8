// The sentences on the idle comparison (LSF: the side with more idle slots loses all of them; a tie
// moves nothing).
#include "broker/core/model/queries/hosts.hpp"
#include "broker/views/explain/explain.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

std::string more_idle(int64_t count) {
  return std::to_string(count) + " more idle slot" + (count == 1 ? "" : "s");
}

/// Says what the rule does with the present numbers.
std::string as_it_stands(const Subject& s, int64_t provider_idle, int64_t consumer_idle) {
  const bool provider_loses = provider_idle > consumer_idle;
  const std::string& loser = provider_loses ? s.provider : s.consumer;
  const std::string& winner = provider_loses ? s.consumer : s.provider;
  const int64_t moved = provider_loses ? provider_idle : consumer_idle;
  const int64_t difference = std::abs(provider_idle - consumer_idle);
  return loser + " has " + more_idle(difference) + " than " + winner + ": " + s.when + " moves " +
         (moved == 1 ? "its idle slot" : "all " + count_of(moved, "idle slot") + " of " + loser) +
         " to " + winner;
}

std::vector<std::string> from_tie(const Subject& s, int64_t idle) {
  const std::string each = "both have " + count_of(idle, "idle slot") + ", a tie moves nothing: ";
  return {each + "one more idle slot at " + s.provider + " and " + s.when + " moves all " +
              std::to_string(idle + 1) + " to " + s.consumer,
          each + "one more idle slot at " + s.consumer + " and " + s.when + " moves all " +
              std::to_string(idle + 1) + " to " + s.provider};
}

/// Under whole hosts, names the idle slots that the comparison does not count because work runs
/// beside them.
std::string beside_work(const Subject& s) {
  int64_t slots = 0;
  int64_t hosts = 0;
  for (uint32_t row = 0; row < s.group.hosts.size(); ++row) {
    for (const size_t m : {kProvider, kConsumer}) {
      const Holding& holding = s.group.at(row, m);
      const int32_t idle = holding.held - holding.used;
      if (idle <= 0 || idle_there(s.state, s.group, m, row) > 0) continue;
      slots += idle;
      ++hosts;
    }
  }
  const bool unit = s.state.policies[s.group.policy].config.unit == LeaseUnit::host;
  const std::string what = unit ? "hosts move as wholes (unit = \"host\")"
                                : "hosts that may not be split move as wholes";
  if (slots == 0) return what + ": no host has idle slots beside work";
  return what + ": " + count_of(slots, "idle slot") + " on " + count_of(hosts, "host") +
         " where work runs" + (slots == 1 ? " does" : " do") + " not count for the other side";
}

std::vector<std::string> of_whole_hosts(const Subject& s, int64_t provider_idle,
                                        int64_t consumer_idle) {
  if (provider_idle != consumer_idle) {
    return {as_it_stands(s, provider_idle, consumer_idle), beside_work(s)};
  }
  return {"both have " + count_of(provider_idle, "idle slot") +
              " on hosts that are wholly idle, a tie moves nothing",
          beside_work(s)};
}

}  // namespace

std::vector<std::string> idle_sentences(const Subject& s) {
  const int64_t provider_idle = std::max(0, s.totals.provider_available - s.totals.provider_used);
  const int64_t consumer_idle = std::max(0, s.totals.consumer_available - s.totals.consumer_used);
  if (any_moves_whole(s.state, s.group)) return of_whole_hosts(s, provider_idle, consumer_idle);
  if (provider_idle == consumer_idle) return from_tie(s, provider_idle);
  const bool provider_loses = provider_idle > consumer_idle;
  const std::string& loser = provider_loses ? s.provider : s.consumer;
  const std::string& winner = provider_loses ? s.consumer : s.provider;
  // Slots become idle at the winner only when its jobs leave them.
  const int64_t winner_used = provider_loses ? s.totals.consumer_used : s.totals.provider_used;
  const int64_t difference = std::abs(provider_idle - consumer_idle);
  const bool winner_can_tie = winner_used >= difference;
  std::vector<std::string> sentences{
      as_it_stands(s, provider_idle, consumer_idle),
      "if " + loser + " starts work on " + std::to_string(difference) + " of them" +
          (winner_can_tie ? ", or " + winner + " has " + more_idle(difference) : "") +
          ": a tie, nothing moves"};
  if (winner_used > difference) {
    sentences.push_back("if " + winner + " has more than " + more_idle(difference) +
                        " while the rest stays: its idle slots go to " + loser + " instead");
  }
  return sentences;
}

}  // namespace leasehold::explanation
