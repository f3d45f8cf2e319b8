// Candidate is one of several brokers of a database, of which one leads at a time. It watches who
// leads, says when its own turn is, and takes over then. postgres/candidate.hpp has that of a
// server; tests have a simulated one. A file has no candidates: the process that holds its lock
// leads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/record/hash.hpp"
#include "broker/store/store.hpp"
#include "common/result.hpp"
#include "common/time/clock_difference.hpp"

namespace leasehold {

/// The database's evidence about the leader that it names.
enum class LeaderEvidence : uint8_t {
  named,         // it may lead, as far as is known: nothing else was seen yet
  alive,         // it leads: it gave a sign while it was watched
  nobody_yet,    // nobody ever did
  stepped_down,  // it gave up by an order
  silent,        // it gave no sign for its time to live
  other_server,  // its server was restarted, or another one is in its place
  own,           // it was this broker, before it lost its lead or was restarted
};

/// The leadership, as the database's last answer says.
struct Candidacy {
  bool may_lead = false;        // no other broker leads: take_over() may be called
  std::string leader;           // its name; "": nobody ever led
  std::string endpoints;        // where it listens, for people
  int64_t epoch = 0;            // of the leadership
  int64_t last_event = 0;       // the log's end
  bool is_led = false;          // by another, as far as is known
  int64_t wait_ms = INT64_MAX;  // until it may lead, if nothing changes
  /// True if this look has no answer yet: all fields but may_lead are from the look before.
  bool is_old = false;
  LeaderEvidence evidence = LeaderEvidence::named;
  /// The reason why it could not lead if it were its turn; "": nothing is known that would keep it
  /// from that.
  std::string cannot_lead = {};
  /// Its wall clock less the server's, by how long the answer took; nullopt: not known.
  std::optional<ClockDifference> ahead_of_server = std::nullopt;
  Hash log_hash{};  // of the row that the log ends with: another log may be as long
};

class Candidate {
 public:
  virtual ~Candidate() = default;

  /// Asks the database. Error: it cannot be asked; the next call tries again, and measures from the
  /// start how long nobody led.
  virtual Result<Candidacy> look() = 0;
  /// Takes over; the store's first commit is the take-over. Contract: the last look() allowed it.
  /// Error (elsewhere): another was first; (refused): this broker could not keep its last commit.
  virtual Result<std::unique_ptr<Store>> take_over() = 0;
  /// Notes a leadership that agents have seen: one of ours is above it (rule 13), and is not warm
  /// where the database knows another (rule 15).
  virtual void saw_epoch(int64_t epoch, uint64_t incarnation) = 0;
  /// Notes that the leadership it took over last has ended by an order: others go first now.
  virtual void stepped_down() = 0;
  /// Sets a function that is called, now and then, on the thread that waits for take_over() or for
  /// a call of the store, once the wait is so long that its reason is reported: `silent`, with code
  /// io where the database answers nothing.
  virtual void meanwhile(std::function<void(const Error& silent)> /*call*/) {}
};

}  // namespace leasehold
