#include "broker/ports/operators/change.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/core/admission.hpp"
#include "broker/core/model/hosts.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request.hpp"

namespace leasehold {

namespace {

Status require_cluster(const State& state, const std::string& name) {
  if (name.empty()) return fail(ErrorCode::usage, "no cluster is named");
  if (find_cluster(state, name) != kNoIndex) return {};
  const std::string near = nearest_cluster(state, name);
  return fail(ErrorCode::unknown, "there is no cluster '" + name + "'" +
                                      (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

/// "big1@east"
Status split_host(const std::string& text, OperatorCommand& command) {
  const size_t at = text.rfind('@');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    return fail(ErrorCode::usage, "'" + text + "' is not HOST@CLUSTER, as in big1@east");
  }
  command.host = text.substr(0, at);
  command.cluster = text.substr(at + 1);
  return {};
}

Status name_host(const State& state, const Json& request, OperatorCommand& command) {
  if (Status split = split_host(request_text(request, "host"), command); !split) return split;
  if (Status known = require_cluster(state, command.cluster); !known) return known;
  command.consumer = request_text(request, "consumer");
  command.reclaim = request_flag(request, "reclaim");
  return command.consumer.empty() ? Status{} : require_cluster(state, command.consumer);
}

/// Fills in what the command is about.
Status name_subject(const State& state, const Json& request, OperatorCommand& command) {
  switch (command.command) {
    case Command::rebalance: {
      command.lease = request_text(request, "lease");
      const Result<LeaseRef> lease = require_lease(state, command.lease);
      return lease ? Status{} : tl::unexpected(lease.error());
    }
    case Command::drain:
    case Command::resume:
    case Command::forget:
      command.cluster = request_text(request, "cluster");
      return require_cluster(state, command.cluster);
    case Command::close:
    case Command::open:
      return name_host(state, request, command);
    case Command::freeze:
    case Command::thaw:
      return {};
  }
  return {};
}

/// Longer texts are no reasons but files.
constexpr size_t kReasonBytesMax = 500;

Status name_half(const Json& request, OperatorCommand& command) {
  const std::string half = request_text(request, "half");
  if (half.empty()) return {};
  if (half != "provider" && half != "consumer") {
    return fail(ErrorCode::usage, "half is '" + half + "'; provider or consumer would be right");
  }
  command.half = half == "provider" ? Half::exports : Half::imports;
  return {};
}

/// Why, and until when: of orders that stand.
Status name_terms(const Json& request, Instant now, OperatorCommand& command) {
  command.why = request_text(request, "reason");
  if (command.why.size() > kReasonBytesMax) {
    return fail(ErrorCode::usage, "--reason: " + std::to_string(command.why.size()) +
                                      " bytes; at most " + std::to_string(kReasonBytesMax) +
                                      " are kept");
  }
  const bool one_line = std::none_of(command.why.begin(), command.why.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (!one_line) return fail(ErrorCode::usage, "--reason: one line of text would be right");
  const std::string until = request_text(request, "until");
  if (until.empty()) return {};
  const Result<Instant> end = parse_order_end(until, now);
  if (!end) return fail(ErrorCode::usage, "--until: " + end.error().message);
  command.until = *end;
  return {};
}

bool stands(Command command) {
  return command == Command::drain || command == Command::close || command == Command::freeze;
}

std::string half_words(Half half) {
  if (half == Half::exports) return "its exports come home";
  if (half == Half::imports) return "what it imports goes back";
  return "its exports come home, what it imports goes back";
}

std::string until_words(const OperatorCommand& c) {
  return c.until == kNever ? "" : " until " + format_utc(c.until);
}

std::string outcome_of_rebalance(const State& state, const std::string& lease) {
  const LeaseRef ref = find_lease_member(state, lease);
  if (ref.group == kNoIndex) return lease + " was evaluated";
  const SlotGroup& group = state.slot_groups[ref.group];
  const uint32_t consumer =
      group.resource_group == kNoIndex ? kNoIndex : group.members[ref.member].plan_consumer;
  const Reason reason =
      consumer == kNoIndex ? group.reason
                           : state.resource_groups[group.resource_group].consumers[consumer].reason;
  return lease + " was evaluated: " + std::string(token(reason)) + ", " +
         std::string(sentence(reason));
}

/// Of plans: nobody can be given them while leases are frozen.
std::string kept_unused(const State& state) {
  int64_t slots = 0;
  for (const SlotGroup& group : state.slot_groups) slots += unallocated(group);
  if (slots == 0) return "";
  return "; " + std::to_string(slots) + (slots == 1 ? " slot of plans is" : " slots of plans are") +
         " unallocated, and stay unused until then";
}

std::string sentence_of(const State& state, const OperatorCommand& c) {
  const std::string host = c.host + "@" + c.cluster;
  const std::string whom = c.consumer.empty() ? "" : " for " + c.consumer;
  switch (c.command) {
    case Command::rebalance:
      return outcome_of_rebalance(state, c.lease);
    case Command::drain:
      return c.cluster + " is draining" + until_words(c) + ": it gets and gives nothing new; " +
             half_words(c.half) + ", idle slots at once, used ones as their jobs end";
    case Command::resume:
      return c.cluster + " takes part again";
    case Command::close:
      return host + " is closed" + whom + until_words(c) +
             (c.reclaim ? ": its leased work is reclaimed with its grace"
                        : ": no new leased work starts there");
    case Command::open:
      return host + " is open" + whom;
    case Command::freeze:
      return "the leases are frozen: nothing moves until " +
             (c.until == kNever ? "leasectl thaw" : format_utc(c.until)) + kept_unused(state);
    case Command::thaw:
      return "the leases move again";
    case Command::forget:
      return c.cluster +
             " is forgotten: its leased slots return to their providers; what it exports and "
             "nobody "
             "else holds stays with it until it is heard";
  }
  return "";
}

}  // namespace

Result<OperatorCommand> operator_command(const State& state, Command kind, const Json& request,
                                         const Giver& giver, Instant now) {
  OperatorCommand command;
  command.command = kind;
  command.by = giver.name;
  command.where = giver.where;
  if (Status named = name_subject(state, request, command); !named) {
    return tl::unexpected(named.error());
  }
  if (kind == Command::drain) {
    if (Status half = name_half(request, command); !half) return tl::unexpected(half.error());
  }
  if (stands(kind)) {
    if (Status terms = name_terms(request, now, command); !terms) {
      return tl::unexpected(terms.error());
    }
  }
  if (const std::optional<Refused> refused = check_command(state, command)) {
    std::string message = refused->message;
    if (message.empty()) message = sentence(refused->reason);
    if (refused->reason != Reason::none) {
      message = std::string(token(refused->reason)) + ": " + message;
    }
    return fail(ErrorCode::refused, std::move(message));
  }
  return command;
}

namespace {

/// Of what a stranger sent nothing longer is kept.
std::string part_of(const Json& request, const char* key) {
  constexpr size_t kBytesMax = 200;
  return request_text(request, key).substr(0, kBytesMax);
}

std::string options_of(const Json& request) {
  std::string text;
  const auto add = [&](const char* key, const char* option) {
    const std::string value = part_of(request, key);
    if (!value.empty()) text += (text.empty() ? "" : " ") + std::string(option) + " " + value;
  };
  add("half", "--half");
  add("consumer", "--for");
  add("until", "--until");
  add("reason", "--reason");
  if (request_flag(request, "reclaim")) text += text.empty() ? "--reclaim" : " --reclaim";
  return text;
}

}  // namespace

OperatorRefused refused_attempt(const Json& request, const Giver& giver, const Error& error) {
  OperatorRefused refused;
  refused.reason = Reason::operator_order;
  refused.by = giver.name;
  refused.where = giver.where;
  refused.verb = part_of(request, "command");
  for (const char* key : {"lease", "host", "cluster"}) {
    if (refused.object.empty()) refused.object = part_of(request, key);
  }
  refused.options = options_of(request);
  refused.why = error.message.substr(0, kReasonBytesMax);
  return refused;
}

Json forget_preview(const State& state, const std::string& cluster) {
  const uint32_t index = find_cluster(state, cluster);
  Json slots = Json::array();
  for (const uint32_t g : state.clusters[index].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const size_t member = member_of(group, index);
    if (group.members[kProvider].cluster == index) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, member);
      if (holding.held == 0) continue;
      const bool known = group.members[member].heard;
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
          {"slots", std::move(slots)}};
}

Json done_json(const State& state, const OperatorCommand& command) {
  Json result;
  result["command"] = token(command.command);
  result["done"] = true;
  result["detail"] = sentence_of(state, command);
  const LeaseRef lease =
      command.lease.empty() ? LeaseRef{} : find_lease_member(state, command.lease);
  result["lease"] = lease.group == kNoIndex ? Json(nullptr) : view_lease_row(state, lease);
  return result;
}

}  // namespace leasehold
