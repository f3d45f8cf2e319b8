// Invocation: one run of leasectl: what was typed, whom it asks, where it prints.
#pragma once

#include <optional>
#include <string>

#include "broker/ctl/client/client.hpp"
#include "broker/ctl/command_line.hpp"
#include "broker/views/json.hpp"
#include "broker/views/standing.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

struct Standings;  // client/list.hpp

class Invocation {
 public:
  explicit Invocation(CommandLine typed) : line(std::move(typed)) {}

  const CommandLine line;

  /// Asks the database of --db, else the broker; the connection is kept while it answers. One that
  /// has answered and does so no more, or sends who comes elsewhere, is left: a question goes to
  /// whoever leads then.
  Result<Json> ask(Request request);
  /// The same as text without blanks, for who only shows it.
  Result<std::string> ask_text(Request request);

  /// Each broker of the list, what it says of itself, in the list's order; one that does not answer
  /// has the role "unreachable". Error: the list is wrong.
  Result<Standings> ask_brokers();

  /// What the last answer says of that nobody leads: it is from memory then, or was refused for it.
  /// nullopt: somebody leads, as far as it says.
  const std::optional<NobodyLeads>& nobody() const { return nobody_; }

  /// What the broker says of its version; "": it was not asked, a database is, or it does not say.
  std::string broker_version();

  /// Of what goes to stdout.
  bool colour() const;
  TableStyle style() const;
  /// Asked of a database, or of a past instant.
  bool of_record() const;
  /// What the answer leaves out, because no log keeps it: a line, or nothing.
  std::string untold() const;

 private:
  Status check_once();
  Status connect();
  template <class Answer>
  Result<Answer> exchange(Request request, Result<Answer> (BrokerClient::*way)(const Json&));
  bool may_ask_again(const Request& request, const Error& error) const;
  void note(std::optional<NobodyLeads> nobody, bool answered);

  std::optional<BrokerClient> broker_;
  bool answered_ = false;
  std::optional<NobodyLeads> nobody_;
  bool db_checked_ = false;
};

/// The error for an answer whose JSON is well formed, but of a shape that only a newer or an older
/// leasectl reads. `version`: of the broker; "": it is not known.
Error unknown_answer(const std::string& version);

/// To stdout; a pipe that nobody reads any more ends the program quietly.
void print(const std::string& text);
/// One JSON value as it was printed, with a newline: what is not printable stands as \u001b in it.
void print_json_text(const std::string& text);
/// One JSON value, indented, with a newline.
void print_json(const Json& json);
/// An error to stderr and, with `json`, to stdout as {"error":{…}}. Returns the exit code.
int report(const Error& error, bool json);
/// Whether write_file() will do, as far as can be known before: for who would have to wait for it.
/// "": nothing is to be written.
Status can_write(const std::string& path);
/// Error (io): with its path.
Status write_file(const std::string& path, const std::string& text);
/// 0, or 1 if stdout could not be written (a full disk).
int finish_output();

}  // namespace leasehold::ctl
