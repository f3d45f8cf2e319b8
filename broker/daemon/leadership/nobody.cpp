#include "broker/daemon/leadership/nobody.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// The help against an error for which nobody leads.
std::string help_against(ErrorCode code, bool alone) {
  if (code == ErrorCode::io) {
    return alone ? "a database that takes commits would help: the broker tries each second and "
                   "goes on by itself"
                 : "a database that answers and takes commits would help: the first broker that "
                   "reaches it leads by itself";
  }
  if (code == ErrorCode::corrupt) {
    return alone ? "a sound copy put in its place would help (leasectl restore)"
                 : "a sound copy of the database would help, put back with all brokers stopped "
                   "(\"Backup and restore of a server\" in the guide: /docs/standby.html of a "
                   "broker, or "
                   "/usr/share/doc/leasehold/standby.html)";
  }
  if (code == ErrorCode::version) {
    return "a broker of the release that wrote the database, or of a newer one, would help";
  }
  if (code != ErrorCode::usage)
    return "correcting that would help: the broker tries again by itself";
  return alone
             ? "correcting this broker's configuration file would help: it is read again by itself"
             : "correcting this broker's configuration file would help, or another broker: this "
               "one tries again by itself";
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
  switch (seen.told) {
    case Told::nobody_yet:
      return "none has led on this database yet";
    case Told::stepped_down:
      return leader + " stepped down";
    case Told::other_server:
      return "the database server was restarted or is another one, and " + leader +
             " led on the one before";
    case Told::own:
      return "this broker led last, and has lost the lead or was restarted";
    case Told::silent:
    case Told::named:
    case Told::alive:
      break;
  }
  return leader + " led last, and gives no sign of life";
}

}  // namespace

NobodyLeads nobody_because(const Error& error, bool alone) {
  return {{}, one_line(describe(error)), help_against(error.code, alone), false};
}

NobodyLeads nobody_because(const Candidacy& seen, Instant takes_over) {
  if (takes_over == kNever)
    return {{},
            why_of(seen),
            "another broker would help: start one, or wait until this one knows when its turn is",
            false};
  return {{},
          why_of(seen),
          "waiting would help: this broker takes over at " + format_utc(takes_over) +
              " if nobody does before",
          false};
}

}  // namespace leasehold
