#include "broker/ports/operators/change.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/core/admission.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/clusters/contact.hpp"
#include "broker/views/request/request_json.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

/// Reads "big1@east".
Status split_host(const std::string& text, OperatorCommand& command) {
  const size_t at = text.rfind('@');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    return fail(ErrorCode::usage, "'" + text + "' is not HOST@CLUSTER, as in big1@east");
  }
  command.host = text.substr(0, at);
  command.cluster = text.substr(at + 1);
  return {};
}

/// Replaces the leaf of a plan by its cluster, for the core knows clusters alone.
Status name_consumer(const State& state, OperatorCommand& command) {
  const Result<std::string> cluster = consumer_cluster(state, command.consumer);
  if (!cluster) return tl::unexpected(cluster.error());
  command.consumer = *cluster;
  return {};
}

/// Fills in what the command is about, if that is known.
Status name_subject(const State& state, const Request& request, OperatorCommand& command) {
  const std::optional<RequestField> subject = request.row->subject;
  if (subject == RequestField::lease) {
    const Result<LeaseRef> lease = require_lease(state, command.lease);
    return lease ? Status{} : tl::unexpected(lease.error());
  }
  if (subject == RequestField::host) {
    if (Status split = split_host(request.host, command); !split) return split;
  }
  if (subject) {
    if (Status known = require_cluster(state, command.cluster); !known) return known;
  }
  return command.consumer.empty() ? Status{} : name_consumer(state, command);
}

OperatorCommand command_of(const Request& request, const Giver& giver) {
  OperatorCommand command;
  command.command = *request.row->command;
  command.by = giver.name;
  command.where = giver.where;
  command.lease = request.lease;
  command.cluster = request.cluster;
  command.consumer = request.consumer;
  command.reclaim = request.reclaim;
  command.half = request.half;
  command.why = request.reason;
  command.until = request.order_end.at;
  if (!request.order_begin.said.empty()) command.from = request.order_begin.at;
  command.successor = request.successor;
  return command;
}

}  // namespace

Result<OperatorCommand> operator_command(const State& state, const Request& request,
                                         const Giver& giver) {
  OperatorCommand command = command_of(request, giver);
  if (Status named = name_subject(state, request, command); !named) {
    return tl::unexpected(named.error());
  }
  if (const std::optional<Refused> refused = check_command(state, command)) {
    std::string message = refused->message;
    if (message.empty()) message = sentence(refused->reason);
    if (refused->reason != Reason::none && refused->reason != Reason::operator_order) {
      message = std::string(token(refused->reason)) + ": " + message;
    }
    return fail(ErrorCode::refused, std::move(message));
  }
  return command;
}

std::string in_contact_until(const State& state, const Liveness& liveness,
                             const std::string& cluster) {
  const uint32_t index = find_cluster(state, cluster);
  if (index == kNoIndex || state.clusters[index].contact == Contact::lost) return "";
  const Instant contact_at = last_contact(liveness, cluster);
  if (contact_at == kNever) return "";
  return "; it can be forgotten from " + format_utc(contact_at + state.config.agent_timeout_ms) +
         " on, if nothing comes from it until then (agent_timeout)";
}

OperatorRefused refused_attempt(const Request& request, const Giver& giver, const Error& error) {
  constexpr size_t kBytesMax = 200;  // of what a stranger sent nothing longer is kept
  OperatorRefused refused;
  refused.reason = Reason::operator_order;
  refused.by = giver.name;
  refused.where = giver.where;
  refused.verb = request.command.substr(0, kBytesMax);
  refused.object = subject_text(request).substr(0, kBytesMax);
  refused.options = options_text(request).substr(0, 4 * kBytesMax);
  refused.why = error.message.substr(0, kReasonBytesMax);
  return refused;
}

Json forget_preview(const State& state, const Liveness& liveness, const std::string& cluster) {
  const uint32_t index = find_cluster(state, cluster);
  Json slots = Json::array();
  for (const uint32_t g : state.clusters[index].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const size_t member = member_of(group, index);
    if (group.members[kProvider].cluster == index) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, member);
      if (holding.held == 0) continue;
      const bool known = group.members[member].known_since_start;
      slots.push_back(
          {{"host", host_of(state, group, row).facts.name + "@" +
                        state.clusters[group.members[kProvider].cluster].name},
           {"slots", holding.held},
           {"used", known ? Json(std::min(holding.used, holding.held)) : Json(nullptr)}});
    }
  }
  return {{"command", "forget"},
          {"done", false},
          {"detail", "nothing was changed"},
          {"lease", nullptr},
          {"slots", std::move(slots)},
          {"heard_by", rows::text_or_null(contact_elsewhere(liveness.leader_view, cluster))},
          {"hears_nobody", has_no_contact(state)}};
}

Json done_json(const State& state, const OperatorCommand& command) {
  Json result;
  result["command"] = token(command.command);
  result["done"] = true;
  result["detail"] = change_of(command.command).confirmation(state, command);
  const LeaseRef lease =
      command.lease.empty() ? LeaseRef{} : find_lease_member(state, command.lease);
  result["lease"] = lease.group == kNoIndex ? Json(nullptr) : view_lease_row(state, lease);
  result["consumer"] = command.consumer.empty() ? Json(nullptr) : Json(command.consumer);
  return result;
}

}  // namespace leasehold
