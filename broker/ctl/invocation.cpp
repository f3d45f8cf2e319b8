#include "broker/ctl/invocation.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "broker/ctl/client/address.hpp"
#include "broker/ctl/client/list.hpp"
#include "broker/ctl/terminal.hpp"
#include "broker/replay/lookup.hpp"
#include "broker/store/sqlite/database_check.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"
#include "common/text/printable.hpp"
#include "common/time/clock.hpp"

namespace leasehold::ctl {

namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string user_name() {
  std::string name = from_environment("USER");
  return name.empty() ? from_environment("LOGNAME") : name;
}

/// Returns the request for what each broker says about itself.
Request asked_of_itself() {
  Request request = request_for("brokers");
  request.by = user_name();
  return request;
}

Status no_writing(const std::string& path) {
  return tl::unexpected(Error{ErrorCode::io, "cannot be written", path, 0, 0});
}

/// Checks --at by the clock of this machine; a broker checks it by its own.
Status check_at(Request& request) {
  if (!request.at) return {};
  const Result<Instant> at = past_instant(*request.at, wall_time());
  if (!at) return fail(ErrorCode::usage, "--at: " + at.error().message);
  request.at = *at;
  return {};
}

}  // namespace

Result<Json> Invocation::ask(Request request) {
  request.by = user_name();
  if (!line.db.empty()) {
    if (const Status past = check_at(request); !past) return tl::unexpected(past.error());
    if (const Status whole = check_once(); !whole) return tl::unexpected(whole.error());
    return look_up(line.db, request);
  }
  return exchange(std::move(request), &BrokerClient::ask);
}

Result<BrokerRows> Invocation::ask_brokers() {
  const auto addresses = broker_addresses(line, from_environment);
  if (!addresses) return tl::unexpected(addresses.error());
  BrokerRows brokers =
      ask_all_brokers(*addresses, line.timeout_ms, request_json(asked_of_itself()));
  note(brokers.leaderless, true);
  return brokers;
}

Result<std::string> Invocation::ask_text(Request request) {
  if (!line.db.empty()) {
    const Result<Json> answer = ask(std::move(request));
    if (!answer) return tl::unexpected(answer.error());
    return answer->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return exchange(std::move(request), &BrokerClient::ask_text);
}

/// A command that follows or waits may outlive the broker that it asked first: it then asks
/// another.
template <class Answer>
Result<Answer> Invocation::exchange(Request request,
                                    Result<Answer> (BrokerClient::*way)(const Json&)) {
  request.by = user_name();
  request.parts = true;
  const Json asked = request_json(request);
  if (const Status there = connect(); !there) return tl::unexpected(there.error());
  Result<Answer> answer = ((*broker_).*way)(asked);
  if (!answer && may_ask_again(request, answer.error())) {
    broker_.reset();
    if (const Status there = connect(); !there) return tl::unexpected(there.error());
    answer = ((*broker_).*way)(asked);
  }
  answered_ = answered_ || answer;
  note(broker_->nobody(), answer.has_value());
  return answer;
}

/// Says that nobody leads, once when it begins, before the answer. For programs it goes to stderr.
/// An error contains it already, and `watch` shows it itself.
void Invocation::note(std::optional<NobodyLeads> nobody, bool answered) {
  const bool begins = nobody && !nobody_;
  from_memory_ = nobody || (from_memory_ && !asks_again_and_again());
  nobody_ = std::move(nobody);
  if (!begins || !answered || line.command == "watch") return;
  const std::string& form = line.request.output;
  const bool for_a_program = line.json || line.request.csv || (!form.empty() && form != "wide");
  if (for_a_program) return print_error("leasectl: " + describe(*nobody_));
  print(describe(*nobody_) + "\n");
}

bool Invocation::asks_again_and_again() const {
  return line.command == "watch" || line.request.follow || line.request.wait;
}

/// Asks again only where a broker answered before, or was chosen from a list by its answer. An
/// order whose answer was lost may have been carried out, so it is not sent twice.
bool Invocation::may_ask_again(const Request& request, const Error& error) const {
  if (!answered_) return false;
  const bool order = request.row == nullptr || request.row->is_change();
  return error.code == ErrorCode::elsewhere || (error.code == ErrorCode::unreachable && !order);
}

/// Connects once; to the leader where there are several brokers.
Status Invocation::connect() {
  if (broker_) return {};
  const auto addresses = broker_addresses(line, from_environment);
  if (!addresses) return tl::unexpected(addresses.error());
  const Result<BrokerAddress> address =
      choose_broker(*addresses, line.timeout_ms, request_json(asked_of_itself()));
  if (!address) return tl::unexpected(address.error());
  Result<BrokerClient> broker = BrokerClient::connect(*address, line.timeout_ms);
  if (!broker) return tl::unexpected(broker.error());
  broker_.emplace(*std::move(broker));
  answered_ = answered_ || addresses->size() > 1;
  return {};
}

/// Asks for `status`, because only that answer contains the version.
std::string Invocation::broker_version() {
  if (!broker_) return "";
  const Result<Json> status = ask(request_for("status"));
  return status ? text_at(*status, "version") : "";
}

/// A damaged database answers with what is left of it, so its damage is reported instead.
Status Invocation::check_once() {
  constexpr int64_t kCheckMs = 3'000;
  if (std::exchange(db_checked_, true)) return {};
  const auto checked = check_database(line.db, kCheckMs);
  if (!checked) return tl::unexpected(checked.error());
  return {};
}

bool Invocation::colour() const {
  return wants_colour(line.colour);
}

TableStyle Invocation::style() const {
  TableStyle style;
  style.colour = colour();
  style.details = line.request.details;
  style.exported_only = line.request.exported;
  style.width = terminal_width();
  style.wide = line.request.output == "wide";
  style.header = !line.request.no_header;
  style.of_record = of_record();
  return style;
}

bool Invocation::of_record() const {
  return line.request.at.has_value() || !line.db.empty();
}

std::string Invocation::left_out_note() const {
  const Request& asked = line.request;
  if (!of_record() || asked.row == nullptr || !asked.row->uses_liveness || asked.no_header) {
    return "";
  }
  const std::string of = asked.at ? "as it was then" : "as of its last commit";
  return "\nFrom the record " + of +
         ". Not kept there, and so not judged: when agents were last connected, use of whole "
         "hosts, refused messages, clocks\n";
}

Error unknown_answer(const std::string& version) {
  const std::string whose = version.empty() ? "" : " (version " + version + ")";
  return fail(ErrorCode::version, "the broker" + whose +
                                      " gave an answer that this leasectl does not know; use a "
                                      "leasectl of the broker's version")
      .value();
}

int run_guarded(Invocation& invocation, int (*command)(Invocation&)) {
  try {
    return command(invocation);
  } catch (const Json::exception&) {
    return report(unknown_answer(invocation.broker_version()), invocation.line.json);
  }
}

namespace {

/// Keeps the error of the first write that failed: later calls set errno to errors of their own.
int write_error = 0;

}  // namespace

void print(const std::string& text) {
  const std::string shown = printable_lines(text);
  errno = 0;
  const size_t written = std::fwrite(shown.data(), 1, shown.size(), stdout);
  if (written < shown.size() && write_error == 0) write_error = errno;
}

void print_json_text(const std::string& text) {
  print(text + "\n");
}

void print_json(const Json& json) {
  print_json_text(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

int report(const Error& error, bool json) {
  if (json) print_json({{"error", error_json(error)}});
  print_error("leasectl: " + describe(error));
  return exit_code(error.code);
}

Status can_write(const std::string& path) {
  if (path.empty()) return {};
  const std::filesystem::path file(path);
  std::error_code unknown;
  const bool there = std::filesystem::exists(file, unknown);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const bool may = !std::filesystem::is_directory(file, unknown) &&
                   ::access((there ? file : folder).c_str(), W_OK) == 0;
  return may ? Status{} : no_writing(path);
}

Status write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  return out ? Status{} : no_writing(path);
}

int finish_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  const int why = write_error != 0 ? write_error : errno;
  std::fprintf(stderr, "leasectl: cannot write to stdout: %s\n", strerror(why));
  return 1;
}

}  // namespace leasehold::ctl
