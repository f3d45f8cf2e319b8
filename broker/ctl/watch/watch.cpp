// watch: shows the site, live, on the whole terminal.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/watch/terminal.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "common/time/clock.hpp"

namespace leasehold::ctl {

namespace {

constexpr int kEveryMs = 1'000;
constexpr int64_t kPatienceMs = 3'000;  // time-out of one answer: keys are not read meanwhile
constexpr int64_t kDecisionsAsked = 5;

Request question(const char* name) {
  Request request;
  request.command = name;
  request.row = find_request(name);
  return request;
}

bool shows_blocks() {
  const std::string wanted = [] {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* value = std::getenv(name);
      if (value != nullptr && *value != '\0') return std::string(value);
    }
    return std::string();
  }();
  return wanted.find("UTF-8") != std::string::npos || wanted.find("utf8") != std::string::npos;
}

class Watch {
 public:
  explicit Watch(Invocation& invocation) : invocation_(invocation) {}

  /// Errors are caught here, so that the terminal is restored before they are printed.
  int run() {
    try {
      const int code = show();
      return code == 0 && nobody_ ? tell_nobody() : code;
    } catch (const Json::exception&) {
      return report(unknown_answer(text_at(shown_.status, "version")), false);
    }
  }

 private:
  /// Says, on the screen that came back, why the exit code is not 0.
  int tell_nobody() {
    print(describe(*nobody_) + "\n");
    finish_output();
    return kNobodyLeads;
  }

  int show() {
    Terminal terminal;
    const bool blocks = shows_blocks();
    int64_t next_ms = 0;
    while (true) {
      if (!shown_.paused && boottime_ms() >= next_ms) {
        const int64_t asked_ms = boottime_ms();
        look();
        // A slow broker with very many leases is asked less often, so that most of its time is left
        // for others.
        const int64_t took_ms = boottime_ms() - asked_ms;
        next_ms = boottime_ms() + std::max<int64_t>(kEveryMs, 4 * took_ms);
      }
      stay_within(terminal.size());
      terminal.draw(picture(shown_, terminal.size(), invocation_.colour(), blocks));
      const int64_t left = shown_.paused ? kEveryMs : next_ms - boottime_ms();
      const std::optional<Key> key = terminal.key(static_cast<int>(std::max<int64_t>(left, 0)));
      if (key == Key::quit) return 0;
      if (key == Key::interrupted) return 130;
      if (key) obey(*key, terminal.size());
    }
  }

  void look() {
    Request decisions = question("history");
    decisions.newest = true;
    decisions.limit = kDecisionsAsked;
    const Result<Json> status = ask(question("status"));
    const Result<Json> leases = status ? ask(question("leases")) : status;
    const Result<Json> history = leases ? ask(decisions) : leases;
    if (!history) {
      shown_.trouble = "no answer since " + format_utc(last_) + ": " + describe(history.error());
      if (last_.ms == 0) shown_.trouble = describe(history.error());
      return;
    }
    shown_.trouble = nobody_ ? describe(*nobody_) : "";
    last_ = wall_time();
    shown_.status = *status;
    require_object(shown_.status);
    shown_.leases = require_list(*leases);
    shown_.decisions = require_list(*history);
  }

  /// After a failure the connection is made again: a broker that is back is another process.
  Result<Json> ask(const Request& request) {
    if (!asking_) {
      CommandLine line = invocation_.line;
      line.timeout_ms = std::min(line.timeout_ms, kPatienceMs);
      asking_.emplace(std::move(line));
    }
    Result<Json> answer = asking_->ask(request);
    nobody_ = asking_->nobody();
    if (!answer) asking_.reset();
    return answer;
  }

  void obey(Key key, Size size) {
    const size_t page = leases_shown(size);
    switch (key) {
      case Key::up:
        shown_.first -= std::min<size_t>(1, shown_.first);
        break;
      case Key::down:
        ++shown_.first;
        break;
      case Key::page_up:
        shown_.first -= std::min(page, shown_.first);
        break;
      case Key::page_down:
        shown_.first += page;
        break;
      case Key::home:
        shown_.first = 0;
        break;
      case Key::end:
        shown_.first = shown_.leases.size();
        break;
      case Key::pause:
        shown_.paused = !shown_.paused;
        break;
      case Key::quit:
      case Key::interrupted:
      case Key::resized:
        break;
    }
  }

  void stay_within(Size size) {
    const size_t page = leases_shown(size);
    const size_t all = shown_.leases.size();
    shown_.first = std::min(shown_.first, all > page ? all - page : 0);
  }

  Invocation& invocation_;
  std::optional<Invocation> asking_;
  std::optional<NobodyLeads> nobody_;  // of the last answer
  Shown shown_;
  Instant last_;
};

}  // namespace

int watch(Invocation& invocation) {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) {
    return report(
        {ErrorCode::usage, "watch needs a terminal; leasectl status says the same once", {}, 0, 0},
        invocation.line.json);
  }
  if (invocation.line.json) {
    return report(
        {ErrorCode::usage, "watch has no --json; leasectl history --follow --json has", {}, 0, 0},
        true);
  }
  return guarded([&invocation] { return Watch(invocation).run(); });
}

}  // namespace leasehold::ctl
