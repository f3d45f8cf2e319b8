// history: shows what happened, from a broker or a database.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/history/history_pages.hpp"
#include "broker/ctl/terminal.hpp"
#include "broker/replay/timeline.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/lists/forms.hpp"
#include "common/time/clock.hpp"

namespace leasehold::ctl {

namespace {

/// Rows of the past that `--follow` shows first, unless a limit is given.
constexpr int64_t kRowsBeforeFollowing = 10;
constexpr int64_t kFollowIntervalMs = 500;

/// Rows of a long history that a table on a terminal shows, unless a limit is given.
constexpr int64_t kRowsOnTerminal = 200;

enum class Form { text, json, json_lines, csv, names, fields };

Form form_of(const CommandLine& line) {
  const std::string& output = line.request.output;
  if (line.json) return line.request.follow ? Form::json_lines : Form::json;
  if (line.request.csv || output == "csv") return Form::csv;
  if (output == "name") return Form::names;
  return output.empty() || output == "wide" ? Form::text : Form::fields;
}

HistoryPages pages_of(Invocation& invocation) {
  return {invocation.line.request,
          [&invocation](const Request& request) { return invocation.ask(request); }};
}

/// Returns an Error that names a field which no row has.
Result<std::string> page_text(const Json& rows, Form form, bool header,
                              const Invocation& invocation) {
  if (form == Form::names) {
    std::string ids;
    for (const Json& row : rows) ids += std::to_string(number_at(row, "id")) + "\n";
    return ids;
  }
  if (form == Form::fields) {
    TableStyle style = invocation.style();
    style.wide = true;
    style.header = header;
    return fields_text(rows, invocation.line.request.output, style);
  }
  if (form == Form::json_lines) {
    std::string lines;
    for (const Json& row : rows) {
      lines += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    return lines;
  }
  if (form == Form::text) return timeline(rows, invocation.colour());
  return history_csv(rows, header);
}

/// With --follow, returns false once all rows that were asked for are surely there. `asked_at` is
/// when history was read last.
bool more_may_come(const CommandLine& line, Instant asked_at) {
  return line.request.follow && (!line.request.until || asked_at < *line.request.until);
}

void pause(const CommandLine& line) {
  int64_t ms = kFollowIntervalMs;
  if (line.request.until) ms = std::clamp<int64_t>(*line.request.until - wall_time(), 1, ms);
  pause_before_asking(ms);
}

/// Prints all rows that there are, then, with --follow, those that come.
int print_pages(Invocation& invocation, HistoryPages& pages, Form form, bool only_one) {
  bool first = true;
  while (true) {
    const Instant asked_at = wall_time();
    const Result<Json> page = pages.next();
    if (!page) return report(page.error(), invocation.line.json);
    if (first || !page->empty()) {
      const bool header = first && !invocation.line.request.no_header;
      const Result<std::string> text = page_text(*page, form, header, invocation);
      if (!text) return report(text.error(), invocation.line.json);
      print(*text);
    }
    if (first && page->empty() && form == Form::text) print("no history\n");
    first = false;
    if (invocation.line.request.follow && finish_output() != 0) return 1;
    if (!invocation.line.request.follow && only_one) return 0;
    if (!page->empty()) continue;
    if (!more_may_come(invocation.line, asked_at)) return 0;
    pause(invocation.line);
  }
}

int print_as_list(Invocation& invocation, HistoryPages& pages, bool only_one) {
  Json all = Json::array();
  while (true) {
    Result<Json> page = pages.next();
    if (!page) return report(page.error(), invocation.line.json);
    for (Json& row : *page) all.push_back(std::move(row));
    if (page->empty() || only_one) break;
  }
  print_json(all);
  return 0;
}

/// On a terminal, without any limit given, only the newest rows are shown, not days of them.
bool is_bounded(const CommandLine& line, Form form) {
  const Request& asked = line.request;
  return form == Form::text && terminal_width() > 0 && !asked.limit && !asked.follow &&
         !asked.since && !asked.until;
}

/// A broker whose answers are shorter than that ([limits] history_rows) is asked for everything.
int show_newest(Invocation& invocation) {
  HistoryPages pages = pages_of(invocation);
  pages.newest(kRowsOnTerminal);
  const Result<Json> rows = pages.next();
  if (!rows && rows.error().code == ErrorCode::refused) {
    HistoryPages all = pages_of(invocation);
    return print_pages(invocation, all, Form::text, false);
  }
  if (!rows) return report(rows.error(), invocation.line.json);
  print(rows->empty() ? "no history\n" : timeline(*rows, invocation.colour()));
  if (static_cast<int64_t>(rows->size()) == kRowsOnTerminal) {
    print(
        "\nthese are the newest " + std::to_string(kRowsOnTerminal) +
        " rows; -n N shows more, --since TIME all from then on, a pipe or a file gets them all\n");
  }
  return 0;
}

}  // namespace

int show_history(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  const Form form = form_of(line);
  if (is_bounded(line, form)) return show_newest(invocation);
  HistoryPages pages = pages_of(invocation);
  if (line.request.limit) pages.newest(*line.request.limit);
  if (line.request.follow && !line.request.limit && !line.request.since) {
    pages.newest(kRowsBeforeFollowing);
  }
  const bool only_one = line.request.limit.has_value();
  if (form == Form::json) return print_as_list(invocation, pages, only_one);
  return print_pages(invocation, pages, form, only_one);
}

}  // namespace leasehold::ctl
