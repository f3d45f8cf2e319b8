#include "broker/daemon/leadership/nobody.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// Returns the help against an error for which nobody leads.
std::string help_against(ErrorCode code, bool alone) {
  if (code == ErrorCode::io) {
    return alone ? "repair the database so that it takes commits; the broker tries each second and "
                   "continues by itself"
                 : "repair the database or the network; the first broker that reaches it leads";
  }
  if (code == ErrorCode::corrupt) {
    return alone ? "put a sound copy in its place: leasectl restore"
                 : "stop all brokers and put a sound copy of the database in its place "
                   "(\"Backup and restore of a server\" in the guide: /docs/standby.html of a "
                   "broker, or "
                   "/usr/share/doc/leasehold/standby.html)";
  }
  if (code == ErrorCode::version) {
    return "start a broker of the release that wrote the database, or newer";
  }
  if (code != ErrorCode::usage) return "correct that; the broker tries again by itself";
  return alone ? "correct this broker's configuration file; it is read again by itself"
               : "correct this broker's configuration file, which is read again by itself, or "
                 "start another broker";
}

/// Joins lines: libpq's messages have several.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const auto twice = [](char a, char b) { return a == ' ' && b == ' '; };
  text.erase(std::unique(text.begin(), text.end(), twice), text.end());
  return text;
}

std::string why_of(const Candidacy& seen) {
  const std::string leader = "the broker '" + seen.leader + "'";
  switch (seen.evidence) {
    case LeaderEvidence::nobody_yet:
      return "none has led on this database yet";
    case LeaderEvidence::stepped_down:
      return leader + " stepped down";
    case LeaderEvidence::other_server:
      return "the database server was restarted or is another one, and " + leader +
             " led on the one before";
    case LeaderEvidence::own:
      return "this broker led last; it lost the lead or was restarted";
    case LeaderEvidence::silent:
    case LeaderEvidence::named:
    case LeaderEvidence::alive:
      break;
  }
  return leader + " led last, and has not renewed its lead since";
}

}  // namespace

NobodyLeads nobody_because(const Error& error, bool alone) {
  return {{}, one_line(describe(error)), help_against(error.code, alone), false};
}

NobodyLeads nobody_because(const Candidacy& seen, Instant takes_over) {
  if (takes_over == kNever) return {{}, why_of(seen), "start another broker, or wait", false};
  return {{},
          why_of(seen),
          "wait: this broker takes over at " + format_utc(takes_over) + " if nobody does before",
          false};
}

}  // namespace leasehold
