// Invocation: one run of leasectl: the typed command, the broker or database that it asks, and its
// output.
#pragma once

#include <optional>
#include <string>

#include "broker/ctl/client/client.hpp"
#include "broker/ctl/command_line/command_line.hpp"
#include "broker/views/clusters/leader_view.hpp"
#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

struct BrokerRows;  // client/list.hpp

/// Exit code where no broker leads: the answer came from memory, or the order was not carried out.
inline constexpr int kNobodyLeads = 4;

class Invocation {
 public:
  explicit Invocation(CommandLine typed) : line(std::move(typed)) {}

  const CommandLine line;

  /// Asks the database of --db, else the broker, and keeps the connection. A broker that answered
  /// before and no longer does, or that refers to another, is left: a question then goes to the
  /// leader.
  Result<Json> ask(Request request);
  /// Returns the same as text without blanks, for callers that only show it.
  Result<std::string> ask_text(Request request);

  /// Returns what each broker of the list says about itself, in the list's order; one that does not
  /// answer has the role "unreachable". Error: the list is wrong.
  Result<BrokerRows> ask_brokers();

  /// Returns what the last answer says about a missing leader: it came from memory then, or was
  /// refused for that reason. nullopt: there is a leader, as far as the answer says.
  const std::optional<NobodyLeads>& nobody() const { return nobody_; }
  /// True if any answer came from memory; of a command that follows or waits: if the last one did.
  bool from_memory() const { return from_memory_; }

  /// Returns the broker's version; "": it was not asked, a database is, or it does not say.
  std::string broker_version();

  /// These are for output on stdout.
  bool colour() const;
  TableStyle style() const;
  /// True if a database, or a past instant, is asked.
  bool of_record() const;
  /// Returns a line that says what the answer leaves out because no log keeps it, or nothing.
  std::string left_out_note() const;

 private:
  Status check_once();
  Status connect();
  template <class Answer>
  Result<Answer> exchange(Request request, Result<Answer> (BrokerClient::*way)(const Json&));
  bool may_ask_again(const Request& request, const Error& error) const;
  void note(std::optional<NobodyLeads> nobody, bool answered);
  bool asks_again_and_again() const;

  std::optional<BrokerClient> broker_;
  bool answered_ = false;
  std::optional<NobodyLeads> nobody_;
  bool from_memory_ = false;
  bool db_checked_ = false;
};

/// Returns the error for well-formed JSON of a form that only a newer or an older leasectl reads.
/// `version` is the broker's; "": not known.
Error unknown_answer(const std::string& version);

/// Runs a command and returns its exit code. A broker of another version may answer in another
/// form, and then any reader of the answer may throw: this is the one place where that becomes an
/// error.
int run_guarded(Invocation& invocation, int (*command)(Invocation&));

/// Prints to stdout; if the reader of a pipe is gone, the program ends quietly.
void print(const std::string& text);
/// Prints the text of one JSON value with a newline; unprintable characters are escaped, like
/// \u001b.
void print_json_text(const std::string& text);
/// Prints one JSON value, indented, with a newline.
void print_json(const Json& json);
/// Prints an error to stderr and, with `json`, to stdout as {"error":{…}}. Returns the exit code.
int report(const Error& error, bool json);
/// Checks before a long computation whether write_file() will work, as far as that can be known.
/// "": nothing will be written.
Status can_write(const std::string& path);
/// Returns an error (io) with the path.
Status write_file(const std::string& path, const std::string& text);
/// Returns 0, or 1 if stdout could not be written (a full disk).
int finish_output();

}  // namespace leasehold::ctl
