// answers reads any bytes as what a broker answers to leasectl, by the whole way from the message
// to what is printed. An input is a line with a command and words for its options, and the answers
// to its questions, each behind a line "---".
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "broker/ctl/client/answer_text.hpp"
#include "broker/ctl/commands.hpp"
#include "broker/ctl/watch/picture.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"
#include "common/text/json_indent.hpp"
#include "common/text/printable.hpp"
#include "tests/fuzz/no_broker.hpp"
#include "tests/fuzz/target.hpp"

namespace leasehold {

namespace {

using ctl::CommandLine;
using ctl::Invocation;

/// A row of a few bytes has a cell in each column of a table, as wide as the widest.
constexpr uint64_t kBytesEach = 8 << 10;
constexpr uint64_t kBytesAlways = 4 << 20;

/// Draws the picture that `watch` shows of the answers to its three questions.
int draw(Invocation& invocation) {
  ctl::Shown shown;
  for (const char* question : {"status", "leases", "history"}) {
    const Result<Json> answer = invocation.ask(request_for(question));
    if (!answer) return ctl::report(answer.error(), false);
    Json& part = question[0] == 's'   ? shown.status
                 : question[0] == 'l' ? shown.leases
                                      : shown.decisions;
    part = question[0] == 's' ? require_object(*answer) : require_list(*answer);
  }
  for (const std::string& row : ctl::picture(shown, {}, invocation.colour(), true)) {
    ctl::print(row + "\n");
  }
  return 0;
}

struct Way {
  const char* command;
  int (*run)(Invocation&);
};

/// The commands that are no plain questions or changes.
constexpr Way kWays[] = {
    {"history", ctl::show_history}, {"usage", ctl::usage}, {"doctor", ctl::doctor},
    {"reload", ctl::reload},        {"status", ctl::show}, {"brokers", ctl::show},
};

int run(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  for (const Way& way : kWays) {
    if (line.command == way.command) return way.run(invocation);
  }
  return line.request.row->is_change() ? ctl::change(invocation) : ctl::show(invocation);
}

struct Option {
  const char* word;
  void (*set)(CommandLine& line);
};

const Option kOptions[] = {
    {"json", [](CommandLine& line) { line.json = true; }},
    {"csv", [](CommandLine& line) { line.request.csv = true; }},
    {"wide", [](CommandLine& line) { line.request.output = "wide"; }},
    {"name", [](CommandLine& line) { line.request.output = "name"; }},
    {"fields", [](CommandLine& line) { line.request.output = "id,cluster,slots,host"; }},
    {"sort", [](CommandLine& line) { line.request.sort = "-slots,id,cluster"; }},
    {"summary", [](CommandLine& line) { line.request.summary = true; }},
    {"details", [](CommandLine& line) { line.request.details = true; }},
    {"exported", [](CommandLine& line) { line.request.exported = true; }},
    {"colour", [](CommandLine& line) { line.colour = "always"; }},
    {"newest", [](CommandLine& line) { line.request.limit = 20; }},
    {"wait", [](CommandLine& line) { line.request.wait = true; }},
    {"yes", [](CommandLine& line) { line.request.yes = true; }},
    {"dry", [](CommandLine& line) { line.request.dry_run = true; }},
    {"for", [](CommandLine& line) { line.request.consumer = "west"; }},
};

/// Returns the row of any word: one that is no command stands for one, so that no input is empty.
const RequestRow& row_of(const std::string& word) {
  if (const RequestRow* row = find_request(word)) return *row;
  const std::span<const RequestRow> all = word.size() % 2 == 0 ? questions() : changes();
  return all[std::accumulate(word.begin(), word.end(), size_t{0}) % all.size()];
}

/// Takes the options that the command has: the others cannot be typed.
CommandLine line_of(const std::string& first) {
  std::istringstream words(first);
  std::string word;
  words >> word;
  CommandLine line;
  line.broker = "tcp://127.0.0.1:7441";
  line.request = request_for(row_of(word == "watch" ? "status" : word).name);
  line.command = word == "watch" ? word : line.request.command;
  line.request.cluster = "west";
  line.request.lease = "pool:west";
  line.request.host = "big1@east";
  while (words >> word) {
    for (const Option& option : kOptions) {
      if (word == option.word) option.set(line);
    }
  }
  const bool is_list = line.request.row->list != nullptr;
  if (!is_list) line.request.sort = line.request.output = "";
  if (!is_list) line.request.summary = false;
  return line;
}

std::vector<std::string> answers_of(std::string_view bytes) {
  constexpr std::string_view kBetween = "\n---\n";
  std::vector<std::string> answers;
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find(kBetween), bytes.size());
    answers.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + kBetween.size(), bytes.size()));
  }
  return answers;
}

struct Printed {
  int code = 0;
  std::string text;
};

/// Runs the command with stdout in memory; errors on stderr are looked at by nobody.
Printed printed_by(Invocation& invocation) {
  static FILE* const nowhere = std::fopen("/dev/null", "w");
  char* text = nullptr;
  size_t bytes = 0;
  FILE* const own_out = stdout;
  FILE* const own_err = stderr;
  stdout = open_memstream(&text, &bytes);
  stderr = nowhere;
  const bool watches = invocation.line.command == "watch";
  const int code = ctl::run_guarded(invocation, watches ? draw : run);
  std::fclose(stdout);
  stdout = own_out;
  stderr = own_err;
  Printed printed{code, std::string(text, bytes)};
  std::free(text);
  return printed;
}

/// Both ways to read an answer must agree, on who leads too.
void check_reading(const std::string& answer) {
  std::optional<NobodyLeads> nobody;
  std::optional<NobodyLeads> nobody_of_text;
  const Result<Json> read = ctl::read_answer(answer, nobody);
  const Result<std::string> text = ctl::read_answer_text(answer, nobody_of_text);
  LEASEHOLD_CHECK(!read || text, "what is an answer is one as text, too");
  const bool is_deep = !read && read.error().message.find("nested deeper") != std::string::npos;
  LEASEHOLD_CHECK(read || !text || is_deep, "and otherwise only where it is too deep by its frame");
  const auto words = [](const auto& said) { return said ? describe(*said) : ""; };
  LEASEHOLD_CHECK(words(nobody) == words(nobody_of_text), "and say the same of a missing leader");
  if (text) LEASEHOLD_CHECK(is_json(*text), "the text of an answer is JSON");
  if (!read) LEASEHOLD_CHECK(!read.error().message.empty(), "an error says what is wrong");
}

void check(std::string_view bytes) {
  const size_t first_line = std::min(bytes.find('\n'), bytes.size());
  const std::string first(bytes.substr(0, first_line));
  bytes.remove_prefix(std::min(first_line + 1, bytes.size()));
  std::vector<std::string> answers = answers_of(bytes);
  for (const std::string& answer : answers) check_reading(answer);
  const uint64_t before = fuzz::allocated_bytes();
  fuzz::set_answers(std::move(answers), first.size() % 3 == 0 ? 80 : 0);
  Invocation invocation(line_of(first));
  const Printed printed = printed_by(invocation);
  LEASEHOLD_CHECK(printed.code >= 0 && printed.code <= 4, "an exit code of leasectl");
  LEASEHOLD_CHECK(printable_lines(printed.text) == printed.text, "nothing steers a terminal");
  const bool json = invocation.line.json && !printed.text.empty();
  LEASEHOLD_CHECK(!json || is_json(printed.text), "with --json one JSON value is printed");
  const uint64_t size = bytes.size();
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= kBytesAlways + (kBytesEach + size) * size,
                  "memory grows with the answers");
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leasehold::check(leasehold::fuzz::text_of({data, size}));
  return 0;
}
