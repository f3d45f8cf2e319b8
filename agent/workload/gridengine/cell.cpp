#include "agent/workload/gridengine/cell.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "agent/workload/gridengine/defaults.hpp"
#include "common/text/joined.hpp"

namespace leasehold::agent {

namespace {

constexpr size_t kArgumentMost = 60'000;            // in bytes; the system takes twice that
constexpr int64_t kQrstatMs = 3'000;                // without reservations all else is seen
constexpr size_t kPrintedMost = size_t{512} << 20;  // some 500 bytes a waiting job
/// The master compares each number with each of its jobs.
constexpr size_t kNumbersACall = 1'000;

/// Returns Grid Engine's name of this machine's architecture; "": not known here.
std::string architecture() {
  utsname machine{};
  if (::uname(&machine) != 0) return "";
  const std::string kind = machine.machine;
  if (kind == "x86_64") return "lx-amd64";
  if (kind == "aarch64") return "lx-arm64";
  return kind.size() == 4 && kind[0] == 'i' ? "lx-x86" : "";
}

std::string programs_of(const GridEngineSettings& settings) {
  if (!settings.bin_dir.empty()) return settings.bin_dir + "/";
  const std::string own = settings.root + "/bin/" + architecture() + "/";
  std::error_code ignored;
  return std::filesystem::exists(own + "qconf", ignored) ? own : "";
}

std::string said(const CallAnswer& answer) {
  return answer.output + answer.errors;
}

bool has(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

bool says_gone(const CallAnswer& answer) {
  const std::string text = said(answer);
  return has(text, "invalid queue or job") || has(text, "does not exist") ||
         has(text, "do not exist");
}

}  // namespace

GridEngineCell::GridEngineCell(const GridEngineSettings& settings, int64_t timeout_ms,
                               Caller caller)
    : settings_(settings),
      bin_(programs_of(settings)),
      timeout_ms_(timeout_ms),
      caller_(std::move(caller)) {}

std::string GridEngineCell::name() const {
  return settings_.cell + "/" + settings_.queue + "@" + settings_.root;
}

CallRequest GridEngineCell::request(const std::string& program,
                                    std::vector<std::string> arguments) const {
  CallRequest made;
  made.argv = std::move(arguments);
  made.argv.insert(made.argv.begin(), bin_ + program);
  made.environment = {
      {"SGE_ROOT", settings_.root}, {"SGE_CELL", settings_.cell}, {"SGE_SINGLE_LINE", "1"}};
  const auto add_port = [&made](const char* name, int64_t port) {
    const char* const known = std::getenv(name);
    if (port != 0) {
      made.environment.emplace_back(name, std::to_string(port));
    } else if (known != nullptr) {
      made.environment.emplace_back(name, known);
    }
  };
  add_port("SGE_QMASTER_PORT", settings_.qmaster_port);
  add_port("SGE_EXECD_PORT", settings_.execd_port);
  made.cleared = {"SGE_"};
  made.timeout_ms = program == "qrstat" ? std::min(timeout_ms_, kQrstatMs) : timeout_ms_;
  made.output_most = kPrintedMost;
  return made;
}

Result<std::string> GridEngineCell::output(const std::string& program,
                                           std::vector<std::string> arguments) const {
  return call_output(caller_, request(program, std::move(arguments)));
}

Result<std::set<std::string>> GridEngineCell::hosts_with(const std::string& requests) const {
  const CallRequest asked = request("qselect", {"-q", settings_.queue, "-l", requests});
  const Result<CallAnswer> answer = caller_(asked);
  if (!answer) return tl::unexpected(answer.error());
  // Exit status 1 without a message means that there are none.
  if (answer->exit_status > 1 || !answer->errors.empty()) {
    return tl::unexpected(call_error(asked, *answer));
  }
  std::set<std::string> hosts;
  std::istringstream lines(answer->output);
  for (std::string line; std::getline(lines, line);) {
    if (const size_t at = line.find('@'); at != line.npos) hosts.insert(line.substr(at + 1));
  }
  return hosts;
}

/// Returns false if the object of the order is gone.
Result<bool> GridEngineCell::order(const std::string& program,
                                   std::vector<std::string> arguments) const {
  const CallRequest asked = request(program, std::move(arguments));
  const Result<CallAnswer> answer = caller_(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (says_gone(*answer)) return false;
  if (answer->exit_status != 0) return tl::unexpected(call_error(asked, *answer));
  return true;
}

Status GridEngineCell::order_or_gone(const std::string& program,
                                     std::vector<std::string> arguments) const {
  const Result<bool> done = order(program, std::move(arguments));
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<GridEngineLook> GridEngineCell::look() const {
  if (const Status plain = check_defaults(settings_.root, settings_.cell, {"qstat", "qhost"});
      !plain) {
    return tl::unexpected(plain.error());
  }
  const Result<std::string> text = output("qstat", {"-f", "-r", "-s", "a", "-u", "*", "-xml"});
  if (!text) return tl::unexpected(text.error());
  return parse_qstat(*text);
}

Result<std::set<std::string>> GridEngineCell::timed() const {
  const Result<std::string> text = output("qstat", {"-s", "ha", "-u", "*", "-xml"});
  if (!text) return tl::unexpected(text.error());
  const Result<GridEngineLook> look = parse_qstat(*text);
  if (!look) return tl::unexpected(look.error());
  std::set<std::string> numbers;
  for (const GridEnginePending& job : look->pending) numbers.insert(job.id);
  return numbers;
}

Result<std::vector<GridEngineQuota>> GridEngineCell::quotas() const {
  const Result<std::string> text = output("qquota", {"-l", "slots", "-u", "*", "-xml"});
  if (!text) return tl::unexpected(text.error());
  return parse_qquota(*text);
}

Result<std::map<std::string, std::string>> GridEngineCell::projects() const {
  const Result<std::string> text = output("qstat", {"-ext", "-s", "p", "-u", "*", "-xml"});
  if (!text) return tl::unexpected(text.error());
  const Result<GridEngineLook> look = parse_qstat(*text);
  if (!look) return tl::unexpected(look.error());
  std::map<std::string, std::string> projects;
  for (const GridEnginePending& job : look->pending) {
    if (!job.project.empty()) projects.emplace(job.id, job.project);
  }
  return projects;
}

Result<GridEngineReservations> GridEngineCell::reservations() const {
  if (Status plain = check_defaults(settings_.root, settings_.cell, {"qrstat"}); !plain) {
    return tl::unexpected(plain.error());
  }
  const Result<std::string> text = output("qrstat", {"-u", "*", "-xml"});
  if (!text) return tl::unexpected(text.error());
  return parse_qrstat(*text);
}

Result<GridEngineReservations> GridEngineCell::reservations_of(
    std::span<const std::string> numbers) const {
  if (numbers.empty()) return GridEngineReservations{};
  const CallRequest asked = request("qrstat", {"-ar", joined(numbers, ","), "-xml"});
  const Result<CallAnswer> answer = caller_(asked);
  if (!answer) return tl::unexpected(answer.error());
  // Exit status 1 means that all are gone.
  if (answer->exit_status != 0 && !has(answer->output, "<ar_unknown>")) {
    return tl::unexpected(call_error(asked, *answer));
  }
  return parse_qrstat(answer->output);
}

Result<GridEngineEnvironment> GridEngineCell::environment(const std::string& name) const {
  const Result<std::string> text = output("qconf", {"-sp", name});
  if (!text) return tl::unexpected(text.error());
  return parse_environment(*text);
}

Result<GridEngineResources> GridEngineCell::resources() const {
  const Result<std::string> text = output("qconf", {"-sc"});
  if (!text) return tl::unexpected(text.error());
  return parse_resources(*text);
}

Result<std::vector<GridEngineHost>> GridEngineCell::hosts() const {
  const Result<std::string> text = output("qhost", {"-xml"});
  if (!text) return tl::unexpected(text.error());
  return parse_qhost(*text);
}

Result<std::set<std::string>> GridEngineCell::reported() const {
  const Result<std::string> text = output("qhost", {"-F", "-xml"});
  if (!text) return tl::unexpected(text.error());
  return parse_reported(*text);
}

Result<std::map<std::string, std::set<std::string>>> GridEngineCell::host_resources() const {
  const Result<std::string> text = output("qhost", {"-F", "-xml"});
  if (!text) return tl::unexpected(text.error());
  return parse_host_resources(*text);
}

Result<GridEngineQueue> GridEngineCell::queue() const {
  const CallRequest asked = request("qconf", {"-sq", settings_.queue});
  const Result<CallAnswer> answer = caller_(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (has(said(*answer), "No cluster queue")) {
    return fail(ErrorCode::usage, "[workload.gridengine] queue: cell '" + settings_.cell +
                                      "' has no queue '" + settings_.queue + "'");
  }
  if (answer->exit_status != 0) return tl::unexpected(call_error(asked, *answer));
  Result<GridEngineQueue> queue = parse_queue(answer->output);
  if (queue && queue->name != settings_.queue) {
    return fail(ErrorCode::io, "qconf -sq answered for queue '" + queue->name + "', not for '" +
                                   settings_.queue + "'; the look failed, nothing changes");
  }
  return queue;
}

Result<std::vector<GridEngineFacts>> GridEngineCell::facts(const std::string& job) const {
  const CallRequest asked = request("qstat", {"-u", "*", "-j", number_of(job), "-xml"});
  const Result<CallAnswer> answer = caller_(asked);
  if (!answer) return tl::unexpected(answer.error());
  // Only stderr is searched: stdout contains users' own words, and reports missing jobs in XML.
  if (says_gone({answer->exit_status, "", answer->errors})) return std::vector<GridEngineFacts>{};
  if (answer->exit_status != 0) return tl::unexpected(call_error(asked, *answer));
  return parse_job_facts(answer->output);
}

Result<std::vector<GridEngineFacts>> GridEngineCell::facts_of(
    std::span<const std::string> numbers) const {
  std::vector<GridEngineFacts> all;
  while (!numbers.empty()) {
    const auto some = numbers.first(std::min(numbers.size(), kNumbersACall));
    std::string list;
    for (const std::string& number : some) list += (list.empty() ? "" : ",") + number;
    Result<std::vector<GridEngineFacts>> found = facts(list);
    if (!found) return found;
    std::move(found->begin(), found->end(), std::back_inserter(all));
    numbers = numbers.subspan(some.size());
  }
  return all;
}

Result<JobEnd> GridEngineCell::end_of(const std::string& job) const {
  std::vector<std::string> words{"-j", number_of(job)};
  if (const size_t dot = job.find('.'); dot != job.npos) {
    words.insert(words.end(), {"-t", job.substr(dot + 1)});
  }
  const CallRequest asked = request("qacct", std::move(words));
  const Result<CallAnswer> answer = caller_(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0) return parse_qacct(answer->output);
  if (has(said(*answer), "not found") || has(said(*answer), "no jobs running since")) {
    return JobEnd{};
  }
  return tl::unexpected(call_error(asked, *answer));
}

Status GridEngineCell::set_slots(std::span<const Slots> slots) const {
  while (!slots.empty()) {
    std::string list;
    size_t taken = 0;
    while (taken < slots.size() && list.size() < kArgumentMost) {
      const auto& [host, number] = slots[taken++];
      list += (list.empty() ? "[" : ",[") + host + "=" + std::to_string(number) + "]";
    }
    const Result<std::string> done =
        output("qconf", {"-mattr", "queue", "slots", list, settings_.queue});
    if (!done && taken > 1 && has(done.error().message, "already reserved")) {
      // One host with more reserved slots keeps all others of the call from being set.
      const Status first = set_slots(slots.first(taken / 2));
      const Status rest = set_slots(slots.subspan(taken / 2));
      return first ? rest : first;
    }
    if (!done) return tl::unexpected(done.error());
    slots = slots.subspan(taken);
  }
  return {};
}

Status GridEngineCell::forget_slots(const std::string& host) const {
  const Result<std::string> done =
      output("qconf", {"-purge", "queue", "slots", settings_.queue + "@" + host});
  if (!done) return tl::unexpected(done.error());
  return {};
}

Status GridEngineCell::tell(const std::string& job, int64_t ends_at_s) const {
  const size_t dot = job.find('.');  // the context belongs to the whole array
  const std::string task = dot == std::string::npos ? "" : "_" + job.substr(dot + 1);
  return order_or_gone(
      "qalter", {"-ac", "LEASEHOLD_ENDS" + task + "=" + std::to_string(ends_at_s), number_of(job)});
}

Status GridEngineCell::suspend(const std::string& job) const {
  return order_or_gone("qmod", {"-sj", job});
}

Status GridEngineCell::resume(const std::string& job) const {
  return order_or_gone("qmod", {"-usj", job});
}

Status GridEngineCell::remove(const std::string& job) const {
  return order_or_gone("qdel", {job});
}

/// qmod exits with 0 even when it refuses, so its output is read.
Result<GridEngineCell::Requeue> GridEngineCell::requeue(const std::string& job) const {
  const CallRequest asked = request("qmod", {"-rj", job});
  const Result<CallAnswer> answer = caller_(asked);
  if (!answer) return tl::unexpected(answer.error());
  const std::string text = said(*answer);
  if (has(text, "Pushed rescheduling")) return Requeue::pushed;
  if (has(text, "not restartable") || has(text, "not rerunnable")) return Requeue::not_restartable;
  if (says_gone(*answer)) return Requeue::gone;
  return tl::unexpected(call_error(asked, *answer));
}

Result<bool> GridEngineCell::lists(const std::string& option, const std::string& name) const {
  const Result<std::string> text = output("qconf", {option});
  if (!text) return tl::unexpected(text.error());
  return has("\n" + *text + "\n", ("\n" + name + "\n").c_str());
}

std::string GridEngineCell::local_host() const {
  const Result<std::string> text = output("gethostname", {"-aname"});
  if (!text) return "";
  return text->substr(0, text->find_first_of(" \n"));
}

}  // namespace leasehold::agent
