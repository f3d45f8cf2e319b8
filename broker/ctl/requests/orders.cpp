#include "broker/ctl/requests/orders.hpp"

#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/request/request_json.hpp"
#include "broker/views/rows.hpp"
#include "common/text/printable.hpp"

namespace leasehold::ctl {

namespace {

constexpr int64_t kPollIntervalMs = 500;

/// The slots that an order has still to bring back.
struct SlotsLeft {
  int64_t slots = 0;
  bool in_quarantine = false;     // the use of some leases is not known yet
  bool unopened = false;          // the owner's agent has not stated yet that it has them back
  std::string silent_owner = {};  // the owner, if its agent is not connected and so cannot state it
  bool none() const { return slots == 0 && !in_quarantine; }
  bool waits_for_owner() const { return none() && unopened && silent_owner.empty(); }
};
/// nullopt: the order is no longer in force.
using Left = std::optional<SlotsLeft>;

std::string left_in_words(const SlotsLeft& left) {
  const std::string slots = rows::count_of(left.slots, "slot") + " left";
  if (left.in_quarantine) {
    return slots +
           ", as far as known; leases are in quarantine: what their clusters use is known when "
           "their agents have reported (leasectl attention)\n";
  }
  return slots + (left.waits_for_owner() ? "; the owner's agent has not opened them yet\n" : "\n");
}

/// The broker cannot know whether the owner has opened what came back.
void print_silent_owner(const std::string& owner) {
  print_error(
      "leasectl: the agent of " + owner +
      " does not report: what came back counts as its slots again, but whether they are open "
      "there is not known; start it, then give the same command again");
}

/// Adds a number of an answer, which may be any: a sum that is too large stays the largest.
void add(const Json& row, const char* key, int64_t& sum) {
  if (__builtin_add_overflow(sum, number_at(row, key), &sum)) sum = INT64_MAX;
}

/// An older broker does not say what is unanswered.
void note_owner(const Json& row, SlotsLeft& left) {
  const std::string agent = text_at(row, "agent");
  left.unopened = left.unopened || number_at(row, "unanswered") > 0;
  if (agent == "lost" || agent == "refused") left.silent_owner = text_at(row, "cluster");
}

/// Adds up the halves that were ordered.
Result<Left> left_of_drain(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Request request = request_for("clusters");
  request.cluster_like = line.request.cluster;
  const Result<Json> rows = invocation.ask(std::move(request));
  if (!rows) return tl::unexpected(rows.error());
  Left left;
  for (const Json& row : require_list(*rows)) {
    const std::string flow = text_at(row, "flow");
    if (line.request.half == DrainSide::exports && flow == "import") continue;
    if (line.request.half == DrainSide::imports && flow == "export") continue;
    if (part_at(row, "left").is_null()) continue;
    if (!left) left.emplace();
    add(row, "left", left->slots);
    left->in_quarantine = left->in_quarantine || number_at(row, "in_quarantine") > 0;
    if (flow == "export") note_owner(row, *left);
  }
  return left;
}

bool closed_still(const Json& row, const std::string& consumer) {
  if (consumer.empty()) return !object_at(row, "closed").is_null();
  for (const Json& name : list_at(row, "closed_for")) {
    if (name == consumer) return true;
  }
  return false;
}

/// `consumer` is the cluster that the host was closed for; "": for all.
Result<Left> left_on_host(Invocation& invocation, const std::string& consumer) {
  const CommandLine& line = invocation.line;
  const Result<Json> rows = invocation.ask(request_for("hosts"));
  if (!rows) return tl::unexpected(rows.error());
  for (const Json& row : require_list(*rows)) {
    if (text_at(row, "host") + "@" + text_at(row, "cluster") != line.request.host) continue;
    if (!closed_still(row, consumer)) return Left{};
    SlotsLeft left{0, flag_at(row, "in_quarantine")};
    for (const Json& part : list_at(row, "leased_to")) {
      const std::string cluster = text_at(part, "cluster");
      const bool counts =
          consumer.empty() ? cluster != text_at(row, "cluster") : cluster == consumer;
      if (counts) add(part, "slots", left.slots);
    }
    return Left{left};
  }
  return Left{};
}

}  // namespace

void print_done(const Json& done, bool json) {
  if (json) return print_json(done);
  require_object(done);
  print(text_at(done, "detail") + "\n");
}

int wait_until_empty(Invocation& invocation, Json done) {
  const bool json = invocation.line.json;
  std::string consumer = text_at(done, "consumer");
  // An older broker leaves it out.
  if (consumer.empty()) consumer = invocation.line.request.consumer;
  std::string printed;
  SlotsLeft left;
  while (true) {
    const Result<Left> now = invocation.line.command == "drain"
                                 ? left_of_drain(invocation)
                                 : left_on_host(invocation, consumer);
    if (!now) return report(now.error(), json);
    if (!*now) {
      return report({ErrorCode::refused,
                     "the order was taken back before everything had come back",
                     {},
                     0,
                     0},
                    json);
    }
    left = **now;
    const std::string text = left_in_words(left);
    if (text != printed && !json) print(text);
    if (finish_output() != 0) return 1;
    printed = text;
    if (left.none() && !left.waits_for_owner()) break;
    pause_before_asking(kPollIntervalMs);
  }
  const bool opened = left.silent_owner.empty();
  if (!opened) print_silent_owner(left.silent_owner);
  if (json) {
    require_object(done);
    done["left"] = 0;
    if (!opened) done["opened"] = false;
    print_json(done);
  }
  return opened ? 0 : 1;
}

namespace {

/// Returns the slots that the cluster leases from others, by host, and which broker its agent
/// reports to.
Result<Json> preview_of(Invocation& invocation) {
  Request request = invocation.line.request;
  request.preview = true;
  return invocation.ask(std::move(request));
}

/// Returns why the cluster is probably running; "": nothing says so.
std::string sign_of_life(const Json& preview, const std::string& cluster) {
  const std::string by = text_at(preview, "heard_by");
  if (!by.empty()) {
    return "the agent of " + cluster + " is connected to the broker '" + by +
           "': it runs, and slots that it uses would be given to others";
  }
  if (!flag_at(preview, "hears_nobody")) return "";
  return "no agent at all is connected: the broker's own network seems at fault, and " + cluster +
         " may use slots that would be given to others";
}

bool says_yes(const std::string& question) {
  print(question + " [y/N] ");
  finish_output();
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

std::string held_text(const std::string& cluster, const Json& rows) {
  std::string text = cluster + " holds slots that return at once, whatever runs there:\n";
  for (const Json& row : rows) {
    text += "  " + text_at(row, "host") + ": " + rows::count_of(number_at(row, "slots"), "slot");
    text += part_at(row, "used").is_null()
                ? ", use not known"
                : ", last seen to use " + std::to_string(number_at(row, "used"));
    text += "\n";
  }
  return text;
}

}  // namespace

std::optional<int> may_forget(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  const std::string& cluster = line.request.cluster;
  const Result<Json> preview = preview_of(invocation);
  if (!preview) return report(preview.error(), line.json);
  const Json rows = list_at(*preview, "slots");
  if (rows.empty()) return std::nullopt;
  const std::string lives = sign_of_life(*preview, cluster);
  if (!line.json) print(held_text(cluster, rows) + (lives.empty() ? "" : lives + "\n"));
  if (line.request.yes) return std::nullopt;
  if (isatty(STDIN_FILENO) != 1 || line.json) {
    return report({ErrorCode::refused,
                   "'" + cluster + "' holds leased slots; nothing was changed. " +
                       (lives.empty() ? "" : lives + ". ") +
                       "If it surely uses none of them, leasectl forget " + cluster + " --yes",
                   {},
                   0,
                   0},
                  line.json);
  }
  const bool sure = says_yes("Is it certain that nothing of it runs on them?") &&
                    (lives.empty() || says_yes("Forget " + cluster + " all the same?"));
  if (sure) return std::nullopt;
  print("nothing was changed\n");
  return 1;
}

}  // namespace leasehold::ctl
