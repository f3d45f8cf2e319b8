// Finds what a lease waits for, from the reason of its last evaluation and the operators' orders in
// force now, and writes the sentences that follow from it.
#include <cstring>
#include <utility>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/views/clusters/contact.hpp"
#include "broker/views/conditions.hpp"
#include "broker/views/explain/explain.hpp"
#include "broker/views/leases/divisions.hpp"
#include "broker/views/leases/horizons.hpp"
#include "broker/views/leases/not_up.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

/// Lists the names of the members for which `test` holds.
template <class Test>
std::string members_that(const Subject& s, Test test) {
  std::vector<std::string> names;
  for (const Member& member : s.group.members) {
    if (test(member, s.state.clusters[member.cluster])) {
      names.push_back(s.state.clusters[member.cluster].name);
    }
  }
  return joined(names);
}

/// Names the members that quarantine waits for; where the provider was forgotten, also those whose
/// answers it needs.
std::string without_contact(const Subject& s) {
  const Member& provider = s.group.members[kProvider];
  return members_that(s, [&provider](const Member& m, const Cluster&) {
    return !m.known_since_start || (provider.doubted && &m != &provider && !m.trusted);
  });
}

std::string breaching(const Subject& s) {
  const std::string names =
      members_that(s, [](const Member& m, const Cluster&) { return m.breach > 0; });
  return names.empty() ? "a cluster" : names;
}

std::string degraded(const Subject& s) {
  const std::string names =
      members_that(s, [](const Member&, const Cluster& c) { return c.degraded; });
  return names.empty() ? "a cluster" : names;
}

/// Says when the slots that a lost consumer leases return; "": no ttl is set, or it is not lost.
std::string until_return(const Subject& s) {
  const Cluster& consumer = s.state.clusters[s.group.members[kConsumer].cluster];
  if (consumer.contact == Contact::ok) return "";
  if (consumer.expires_at != kNever) {
    return "; what " + s.consumer + " leases returns at " + format_utc(consumer.expires_at);
  }
  if (s.state.config.lease_ttl_ms == 0) return "";
  return "; " + why_leases_stay(s.state, consumer);
}

/// A member that never reported exists outside quarantine only after a warm take-over.
std::string since_take_over(const Subject& s) {
  const auto silent = [](const Member& m, const Cluster& c) {
    return c.contact == Contact::lost && !m.known_since_start;
  };
  if (s.group.quarantined || members_that(s, silent).empty()) return "";
  return ", silent since this broker took over at " + format_utc(s.state.started) +
         " (a warm take-over: it keeps what it holds)";
}

std::string missing_report(const Subject& s) {
  const std::string lost =
      members_that(s, [](const Member&, const Cluster& c) { return c.contact == Contact::lost; });
  if (!lost.empty()) return "the agent of " + lost + since_take_over(s) + until_return(s);
  const std::string late =
      members_that(s, [](const Member& m, const Cluster&) { return m.seq_stated < m.seq; });
  if (!late.empty()) return "a report of " + late + " that was taken after its last order";
  return "a report of " + s.provider + " and " + s.consumer;
}

std::string open_transfer(const Subject& s) {
  for (const Transfer& t : s.group.transfers) {
    if (!t.inactive) continue;
    const bool releasing = t.step == TransferStep::releasing;
    const std::string& from = s.state.clusters[s.group.members[t.from].cluster].name;
    const std::string& to = s.state.clusters[s.group.members[t.to].cluster].name;
    return "transfer " + std::to_string(t.id) + ": " +
           (releasing ? from + " to release " + count_of(t.slots_wanted, "slot")
                      : to + " to take " + count_of(t.slots_released, "slot"));
  }
  return "the transfer under way";
}

/// Returns the operator's order that keeps the lease from moving now; "": there is none. The reason
/// of the last evaluation may be older than the order, or than its end.
std::string order_in_force(const Subject& s) {
  if (s.state.frozen) return "an operator: leasectl thaw";
  std::vector<std::string> ways;
  const Cluster& provider = s.state.clusters[s.group.members[kProvider].cluster];
  const Cluster& consumer = s.state.clusters[s.group.members[kConsumer].cluster];
  if (provider.draining_exports) ways.push_back("leasectl resume " + provider.name);
  if (consumer.draining_imports) ways.push_back("leasectl resume " + consumer.name);
  return ways.empty() ? "" : "an operator: " + joined(ways);
}

/// True if an order kept the last evaluation from deciding and is no longer in force.
bool order_is_over(const Subject& s) {
  const bool by_order =
      s.group.reason == Reason::frozen || s.group.reason == Reason::cluster_draining;
  return by_order && order_in_force(s).empty();
}

std::string order_or_evaluation(const Subject& s) {
  return order_is_over(s) ? s.when : order_in_force(s);
}

int64_t used_by_consumer(const Subject& s) {
  int64_t sum = 0;
  for (size_t h = 0; h < s.group.hosts.size(); ++h) sum += s.group.at(h, kConsumer).used;
  return sum;
}

/// Says for each host of the group that is not up on both sides which side keeps it away.
std::vector<std::string> hosts_down(const Subject& s) {
  std::vector<std::string> sentences;
  for (size_t h = 0; h < s.group.hosts.size() && sentences.size() < 5; ++h) {
    const bool provider_up = s.group.at(h, kProvider).up;
    if (provider_up && s.group.at(h, kConsumer).up) continue;
    const Host& host = host_of(s.state, s.group, static_cast<uint32_t>(h));
    const bool said = host.facts.not_up != wire::NotUp::unsaid || has_begun(s.state, host);
    if (host.present && !host.facts.up && said) {
      sentences.push_back(rows::host_at(s.state, s.group, h) +
                          " is not up: " + not_up_words(s.state, host, s.provider) + "; " +
                          up_again_words(host, s.provider));
      continue;
    }
    sentences.push_back(rows::host_at(s.state, s.group, h) + " is not up at " +
                        (provider_up ? s.consumer : s.provider) +
                        ": when it is, its slots count again");
  }
  return sentences;
}

/// Says for each host that may not be split and is exported in part what would make it lend.
std::vector<std::string> not_lent(const Subject& s) {
  std::vector<std::string> sentences;
  for (uint32_t row = 0; row < s.group.hosts.size() && sentences.size() < 5; ++row) {
    if (!lends_no_part(s.state, s.group, row)) continue;
    const wire::Division why = division_of(s.state, s.group, row);
    sentences.push_back(rows::host_at(s.state, s.group, row) + " may not be split (" +
                        why_indivisible(why) + "): " +
                        remedy_of_part(s.state.policies[s.group.policy].config,
                                       rows::facts(s.state, s.group, row)));
  }
  return sentences;
}

/// Says for each host which reservation it is kept free for, and why already now.
std::vector<std::string> reserved_ahead(const Subject& s) {
  std::vector<std::string> sentences;
  const Cluster& owner = s.state.clusters[s.group.members[kProvider].cluster];
  for (uint32_t row = 0; row < s.group.hosts.size() && sentences.size() < 5; ++row) {
    const Host& host = host_of(s.state, s.group, row);
    if (!host.facts.horizon || !reserved_from(s.state, s.group, kConsumer, row)) continue;
    sentences.push_back(rows::host_at(s.state, s.group, row) + " is " +
                        horizon_words(s.state, owner, host) + ": " +
                        before_reservation(s.state, s.group, kConsumer, row));
  }
  return sentences;
}

std::vector<std::string> while_draining(const Subject& s) {
  const int64_t used = used_by_consumer(s);
  if (used == 0) return {"the lease ends when the agent of " + s.consumer + " has answered"};
  return {"each of the " + count_of(used, "slot") + " that " + s.consumer + " uses goes back to " +
          s.provider + " when its job ends"};
}

std::vector<std::string> by_exclusive(const Subject& s) {
  if (s.totals.provider_used == 0) return {};
  return {"each of the " + count_of(s.totals.provider_used, "slot") + " in use at " + s.provider +
          " goes to " + s.consumer + " when its job ends"};
}

/// Says which waiting work would move idle slots of the other side.
std::string by_work(const Subject& s, int64_t idle, bool to_consumer) {
  const std::string& from = to_consumer ? s.provider : s.consumer;
  const std::string& to = to_consumer ? s.consumer : s.provider;
  if (idle <= 0) return "no slot of " + from + " is idle: none moves to " + to + " until one is";
  return "if work waits at " + to + " that could start on the " + count_of(idle, "idle slot") +
         " of " + from + ", as many as it lacks move there: at " + s.when +
         ", or when a report shows it";
}

std::vector<std::string> by_demand(const Subject& s) {
  const int64_t provider_idle = s.totals.provider_available - s.totals.provider_used;
  const int64_t consumer_idle = s.totals.consumer_available - s.totals.consumer_used;
  std::vector<std::string> sentences{by_work(s, provider_idle, true)};
  if (!s.state.policies[s.group.policy].config.provider_first) {
    sentences.push_back(by_work(s, consumer_idle, false));
    return sentences;
  }
  sentences.push_back("idle slots of " + s.consumer + " return to " + s.provider + " at " + s.when +
                      ", wanted there or not, except those that it was just given");
  sentences.push_back("if work waits at " + s.provider +
                      " that could start on no idle slot: slots in use are reclaimed for it at " +
                      s.when);
  return sentences;
}

const Rule& rule_of(const Subject& s) {
  return rule_in_force(s.state.policies[s.group.policy].config);
}

std::vector<std::string> by_rule(const Subject& s) {
  const Rule& rule = rule_of(s);
  if (rule.of_shortfall != nullptr) return by_exclusive(s);
  return rule.of_work != nullptr ? by_demand(s) : idle_sentences(s);
}

/// Says what happens to the lease after it is made.
std::string once_made(const Subject& s) {
  std::string text(rule_of(s).once_made);
  for (const auto& [field, value] : {std::pair{"{consumer}", &s.consumer}, {"{when}", &s.when}}) {
    const size_t at = text.find(field);
    if (at != std::string::npos) text.replace(at, std::strlen(field), *value);
  }
  return text;
}

std::vector<std::string> when_made(const Subject& s) {
  std::vector<std::string> sentences{"the first job of " + s.consumer +
                                     " on its leased slot makes the lease; " + once_made(s)};
  if (!is_exclusive(rule_of(s).type)) return sentences;
  for (std::string& sentence : by_exclusive(s)) sentences.push_back(std::move(sentence));
  return sentences;
}

struct Waiting {
  Reason reason;
  std::string (*what)(const Subject&);
};

std::string jobs_to_end(const Subject& s) {
  return "jobs of " + s.consumer + " to end, or its answer";
}
std::string first_job(const Subject& s) {
  return "a job of " + s.consumer + " on its leased slot";
}

// Other reasons are not listed: the numbers decided, or nothing is evaluated any more.
const Waiting kWaiting[] = {
    {Reason::draining, jobs_to_end},
    {Reason::quarantine, [](const Subject& s) { return "the agent of " + without_contact(s); }},
    {Reason::breach,
     [](const Subject& s) { return breaching(s) + " to use no more than it was given"; }},
    {Reason::degraded,
     [](const Subject& s) {
       return "the workload manager of " + degraded(s) + " to answer its agent";
     }},
    {Reason::report_missing, missing_report},
    {Reason::inactive, open_transfer},
    {Reason::frozen, order_or_evaluation},
    {Reason::no_common_host,
     [](const Subject& s) {
       return "a host that is up at " + s.provider + " and at " + s.consumer;
     }},
    {Reason::host_indivisible,
     [](const Subject& s) { return "a policy of " + s.provider + " that exports whole hosts"; }},
    {Reason::host_reserved,
     [](const Subject& s) {
       return "a host that is not reserved at " + s.provider + " before work of " + s.consumer +
              " would have ended";
     }},
    {Reason::not_made, first_job},
    {Reason::offered, first_job},
    {Reason::cluster_draining, order_or_evaluation},
    {Reason::none, [](const Subject&) { return std::string("its first evaluation"); }},
};

}  // namespace

std::string waits_for(const Subject& s) {
  if (s.group.phase == Phase::draining) return jobs_to_end(s);
  for (const Waiting& waiting : kWaiting) {
    if (waiting.reason == s.group.reason) return waiting.what(s);
  }
  return s.group.phase == Phase::closed ? "" : order_in_force(s);
}

std::string group_waits_for(const Subject& s) {
  if (s.group.phase == Phase::draining) {
    return "the last slots of the policy to come back to " + s.provider;
  }
  if (s.group.quarantined) return "the agent of " + without_contact(s);
  if (s.group.breach) return breaching(s) + " to use no more than it was given";
  if (s.state.frozen) return "an operator: leasectl thaw";
  const Cluster& provider = s.state.clusters[s.group.members[kProvider].cluster];
  if (provider.contact == Contact::lost) return "the agent of " + s.provider;
  if (provider.degraded) return "the workload manager of " + s.provider + " to answer its agent";
  return "";
}

std::vector<std::string> would_change(const Subject& s) {
  if (s.group.phase == Phase::closed) return {};
  if (s.group.phase == Phase::draining) return while_draining(s);
  if (s.group.reason == Reason::no_common_host) return hosts_down(s);
  if (s.group.reason == Reason::host_indivisible) return not_lent(s);
  if (s.group.reason == Reason::host_reserved) return reserved_ahead(s);
  if (s.group.reason == Reason::quarantine) {
    const char* order = s.may_forget ? ", or an operator gives leasectl forget for it" : "";
    return {"once the agent of " + without_contact(s) + " reports" + order + ", " + s.when +
            " decides"};
  }
  if (s.group.phase == Phase::offered) return when_made(s);
  std::vector<std::string> sentences = by_rule(s);
  if (!waits_for(s).empty() && !order_is_over(s)) {
    for (std::string& sentence : sentences) sentence = "afterwards: " + sentence;
  }
  if (std::string asleep = asleep_words(s.state, s.group); !asleep.empty()) {
    sentences.push_back(std::move(asleep));
  }
  for (std::string& reserved : reserved_ahead(s)) sentences.push_back(std::move(reserved));
  if (std::string end = window_end_words(s.state, s.group, kConsumer); !end.empty()) {
    sentences.push_back(std::move(end));
  }
  return sentences;
}

}  // namespace leasehold::explanation
