#include "broker/io/operator_port_change.hpp"

#include <nlohmann/json.hpp>

#include "broker/core/reduce.hpp"
#include "broker/views/queries.hpp"

namespace leasehold {

namespace {

struct CommandWord {
  const char* word;
  Command command;
};

constexpr CommandWord kWords[] = {
    {"rebalance", Command::rebalance}, {"drain", Command::drain},   {"resume", Command::resume},
    {"close", Command::close},         {"open", Command::open},     {"freeze", Command::freeze},
    {"thaw", Command::thaw},           {"forget", Command::forget},
};

const char* word_of(Command command) {
  for (const CommandWord& known : kWords) {
    if (known.command == command) return known.word;
  }
  return "";
}

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

std::string outcome_of_rebalance(const State& state, const std::string& lease) {
  const LeaseRef ref = find_lease_member(state, lease);
  if (ref.group == kNoIndex) return lease + " was evaluated";
  const Group& group = state.groups[ref.group];
  const uint32_t consumer = group.plan == kNoIndex ? kNoIndex : group.members[ref.member].consumer;
  const Reason reason =
      consumer == kNoIndex ? group.reason : state.plans[group.plan].consumers[consumer].reason;
  return lease + " was evaluated: " + std::string(token(reason)) + ", " +
         std::string(sentence(reason));
}

/// Of plans: nobody can be given them while leases are frozen.
std::string kept_unused(const State& state) {
  int64_t slots = 0;
  for (const Group& group : state.groups) slots += unallocated(group);
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
      return c.cluster +
             " is draining: no lease gives it new slots, idle leased slots return, "
             "used ones as their jobs end";
    case Command::resume:
      return c.cluster + " takes part again";
    case Command::close:
      return host + " is closed" + whom +
             (c.reclaim ? ": its leased work is reclaimed with its grace"
                        : ": no new leased work starts there");
    case Command::open:
      return host + " is open" + whom;
    case Command::freeze:
      return "the leases are frozen: nothing moves until leasectl thaw" + kept_unused(state);
    case Command::thaw:
      return "the leases move again";
    case Command::forget:
      return c.cluster + " is forgotten: its leased slots return to their providers";
  }
  return "";
}

}  // namespace

std::optional<Command> command_from(const std::string& text) {
  for (const CommandWord& known : kWords) {
    if (text == known.word) return known.command;
  }
  return std::nullopt;
}

Result<OperatorCommand> operator_command(const State& state, Command kind, const Json& request,
                                         const std::string& by) {
  OperatorCommand command;
  command.command = kind;
  command.by = by;
  if (Status named = name_subject(state, request, command); !named) {
    return tl::unexpected(named.error());
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

Json done_json(const State& state, const OperatorCommand& command) {
  Json result;
  result["command"] = word_of(command.command);
  result["done"] = true;
  result["detail"] = sentence_of(state, command);
  const LeaseRef lease =
      command.lease.empty() ? LeaseRef{} : find_lease_member(state, command.lease);
  result["lease"] = lease.group == kNoIndex ? Json(nullptr) : view_lease_row(state, lease);
  return result;
}

}  // namespace leasehold
