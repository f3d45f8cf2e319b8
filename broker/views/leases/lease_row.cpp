#include "broker/views/leases/lease_row.hpp"

#include <algorithm>

#include "broker/views/rows.hpp"

namespace leasehold {

LeaseRow::LeaseRow(const State& state)
    : state_(state),
      facts_(state),
      cluster_texts_(state.clusters.size()),
      policy_texts_(state.policies.size()) {}

void LeaseRow::go(const LeaseRef& lease) {
  lease_ = lease;
  group_ = &state_.slot_groups[lease.group];
}

const Cluster& LeaseRow::cluster(size_t member) const {
  return state_.clusters[group_->members[member].cluster];
}

std::optional<std::string_view> LeaseRow::word(std::string_view path) const {
  if (path == "provider") return cluster(kProvider).name;
  if (path == "consumer") return cluster(lease_.member).name;
  if (path == "path" && of_plan()) return rows::consumer(state_, lease_).path;
  if (path == "policy") return state_.policies[group_->policy].config.name;
  if (path == "phase") return token(group_->phase);
  if (path == "reason") return token(facts_.reason(lease_));
  return std::nullopt;
}

void LeaseRow::each_word(std::string_view path, const WordVisit& visit) const {
  if (path == "id") return visit(key());
  const bool with_provider = path == "host@provider";
  if (!with_provider && path != "host") return ListedRow::each_word(path, visit);
  for (size_t host = 0; host < group_->hosts.size(); ++host) {
    if (group_->hosts[host].exported == 0) continue;
    if (with_provider) {
      visit(rows::host_at(state_, *group_, host));
    } else {
      visit(rows::facts(state_, *group_, host).name);
    }
  }
}

std::string LeaseRow::key() const {
  return lease_id(state_, *group_, lease_.member);
}

const std::string& LeaseRow::cluster_text(size_t member) {
  std::string& text = cluster_texts_[group_->members[member].cluster];
  if (text.empty()) text = json_escaped(cluster(member).name);
  return text;
}

const std::string& LeaseRow::policy_text() {
  std::string& text = policy_texts_[group_->policy];
  if (text.empty()) text = json_escaped(state_.policies[group_->policy].config.name);
  return text;
}

void LeaseRow::write_names() {
  const std::string& policy = policy_text();
  const std::string& consumer = cluster_text(lease_.member);
  row_.key("id");
  if (of_plan()) {
    row_.text({json_escaped(key())});
  } else {
    row_.text({policy, ":", consumer});
  }
  row_.key("policy");
  row_.text({policy});
  row_.key("group");
  if (of_plan()) {
    row_.text({json_escaped(state_.resource_groups[group_->resource_group].name)});
  } else {
    row_.text({policy, ":", consumer, ".", std::to_string(group_->generation)});
  }
  row_.key("provider");
  row_.text({cluster_text(kProvider)});
  row_.key("consumer");
  row_.text({consumer});
}

void LeaseRow::write_kind() {
  const auto [type, rule] = facts_.kind(lease_);
  row_.key("type");
  row_.text({type});
  row_.key("rule");
  row_.text({rule});
  row_.key("phase");
  row_.text({token(group_->phase)});
  row_.key("epoch");
  row_.number(group_->epoch);
}

void LeaseRow::write_side(int32_t available, int32_t used) {
  row_.open();
  row_.key("available");
  row_.number(available);
  row_.key("used");
  row_.number(used);
  row_.key("idle");
  row_.number(std::max(0, available - used));
  row_.close();
}

void LeaseRow::write_slots() {
  const Totals totals = rows::totals(*group_, lease_.member);
  const int32_t on_their_way = facts_.in_transfer(lease_);
  row_.key("slots");
  row_.number(exported(*group_));
  row_.key("in_transfer");
  row_.number(on_their_way);
  row_.key("moving");
  row_.number(on_their_way + facts_.asked_for(lease_));
  row_.key("provider_slots");
  write_side(totals.provider_available, totals.provider_used);
  row_.key("consumer_slots");
  write_side(totals.consumer_available, totals.consumer_used);
  row_.key("slots_down");
  write_slots_down();
}

void LeaseRow::write_slots_down() {
  const auto [provider, consumer] = facts_.slots_down(lease_);
  row_.open();
  row_.key("provider");
  row_.number(provider);
  row_.key("consumer");
  row_.number(consumer);
  row_.close();
}

void LeaseRow::write_pending(size_t member) {
  const Cluster& of = cluster(member);
  if (of.contact == Contact::ok) {
    row_.number(of.pending);
  } else {
    row_.null();
  }
}

/// "Never yet" and "never" are written as null.
void LeaseRow::write_time(Instant at) {
  if (at.ms == INT64_MIN || at == kNever) {
    row_.null();
  } else {
    row_.text({format_utc(at)});
  }
}

void LeaseRow::write_instants() {
  row_.key("last_flip");
  write_time(facts_.last_flip(lease_));
  row_.key("next_evaluation");
  write_time(facts_.next_evaluation(lease_));
}

void LeaseRow::append_to(std::string& text) {
  row_.begin();
  write_names();
  write_kind();
  write_slots();
  row_.key("pending");
  row_.open();
  row_.key("provider");
  write_pending(kProvider);
  row_.key("consumer");
  write_pending(lease_.member);
  row_.close();
  write_instants();
  row_.key("reason");
  row_.text({token(facts_.reason(lease_))});
  row_.key("flips");
  row_.number(facts_.flips(lease_));
  row_.key("mode");
  row_.text({rows::mode_word(state_)});
  row_.key("frozen");
  row_.flag(state_.frozen);
  row_.close();
  text += row_.text();
}

}  // namespace leasehold
