#include "agent/workload/command/command.hpp"

#include <nlohmann/json.hpp>

#include "agent/workload/command/answers.hpp"
#include "agent/workload/support/unknown_words.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::ordered_json;

ordered_json json_of(const HostCap& cap) {
  return {{"host", cap.host},         {"imported", cap.imported},   {"slots", cap.slots},
          {"own", cap.own},           {"mem_mb", cap.mem_mb},       {"swap_mb", cap.swap_mb},
          {"grace_ms", cap.grace_ms}, {"remove", cap.parts.empty()}};
}

ordered_json json_of(const wire::ConfiguredResource& resource) {
  return {{"name", resource.name},
          {"role", token(resource.role)},
          {"peer", resource.peer},
          {"instances", resource.instances}};
}

/// The program, and how it is asked.
class Program {
 public:
  Program(std::vector<std::string> argv, int64_t timeout_ms, Caller caller)
      : argv_(std::move(argv)), timeout_ms_(timeout_ms), caller_(std::move(caller)) {}

  /// Returns what `read` makes of the answer; an error names the request.
  template <class Read>
  auto ask(const char* name, ordered_json request, const Read& read) const
      -> decltype(read(std::string())) {
    ordered_json whole{{"version", kCommandVersion}, {"request", name}};
    whole.update(request);
    CallRequest call;
    call.argv = argv_;
    call.input = whole.dump() + "\n";
    call.timeout_ms = timeout_ms_;
    const Result<std::string> output = call_output(caller_, call);
    if (!output) return tl::unexpected(with_request(call, name, output.error()));
    auto answer = read(*output);
    if (!answer) return tl::unexpected(with_request(call, name, answer.error()));
    return answer;
  }

 private:
  static Error with_request(const CallRequest& call, const char* name, Error error) {
    const std::string command = "`" + command_text(call) + "`";
    const bool named = error.message.rfind(command, 0) == 0;
    error.message =
        (named ? "" : command + ", ") + ("request \"" + std::string(name) + "\": ") + error.message;
    return error;
  }

  std::vector<std::string> argv_;
  int64_t timeout_ms_;
  Caller caller_;
};

class Command final : public Workload {
 public:
  Command(Program program, CommandDescription description, CapJournal journal, bool read_only)
      : program_(std::move(program)),
        traits_(std::move(description.traits)),
        level_(description.level),
        journal_(std::move(journal)),
        read_only_(read_only) {}

  WorkloadTraits traits() const override { return traits_; }

  Result<View> read(std::span<const std::string> imported) override {
    return program_.ask("read", {{"imported", imported}}, [&](const std::string& answer) {
      return read_view(answer, imported, traits_, journal_);
    });
  }

  /// The parts of caps are on disk before a fence is set, and are forgotten only after it is gone.
  Status enforce(std::span<const HostCap> caps) override {
    std::vector<HostCap> kept;
    std::vector<HostCap> gone;
    ordered_json rows = ordered_json::array();
    for (const HostCap& cap : caps) {
      (cap.parts.empty() ? gone : kept).push_back(cap);
      rows.push_back(json_of(cap));
    }
    if (Status noted = read_only_ ? Status{} : journal_.put(kept); !noted) return noted;
    if (Status done = change("enforce", {{"caps", rows}}); !done) return done;
    return journal_.put(gone);
  }

  Status fence_resources(std::span<const wire::ConfiguredResource> resources) override {
    if (!traits_.fences.resources) {
      if (resources.empty()) return {};
      return fail(ErrorCode::refused, "the program cannot fence resources (it says so)");
    }
    ordered_json rows = ordered_json::array();
    for (const wire::ConfiguredResource& resource : resources) rows.push_back(json_of(resource));
    return change("resources", {{"resources", rows}});
  }

  Status lease_until(int64_t boottime_ms) override {
    const int64_t until_ms = boottime_ms == INT64_MAX ? -1 : boottime_ms;
    return change("lease_until", {{"boottime_ms", until_ms}});
  }

  Result<WorkList> work_units() override {
    std::vector<std::string> unknown;
    Result<WorkList> work =
        program_.ask("jobs", ordered_json::object(),
                     [&](const std::string& answer) { return read_jobs(answer, &unknown); });
    unknown_.begin();
    unknown_.see(unknown);
    return work;
  }

  /// Returns the cautions of the last list of jobs.
  Result<std::vector<std::string>> cautions() override {
    std::vector<std::string> cautions;
    unknown_.add_to(cautions);
    return cautions;
  }

  /// A program of the first level sends whatever signal it is given and does not know "none": it
  /// gets URG, which ends nothing.
  Status interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) override {
    const std::string none = level_ < kCommandLevel ? "URG" : "none";
    return change(
        "interrupt",
        {{"job", job.id}, {"grace_ms", grace_ms}, {"signal", signal.empty() ? none : signal}});
  }

  Status end_and_requeue(const WorkUnit& job) override {
    return change("requeue", {{"job", job.id}});
  }

  Result<JobEnd> end_of(const WorkUnit& job) override {
    if (level_ < kCommandLevel) return JobEnd{};
    return program_.ask("fate", {{"job", job.id}}, read_fate);
  }

  Result<std::vector<std::string>> permissions_lacking() override {
    return program_.ask("permissions", ordered_json::object(), read_lacking);
  }

  int64_t next_change_in_ms() override { return INT64_MAX; }

 private:
  Status change(const char* name, ordered_json request) {
    if (read_only_) return fail(ErrorCode::refused, "--probe changes nothing");
    return program_.ask(name, std::move(request), read_done);
  }

  Program program_;
  WorkloadTraits traits_;
  int64_t level_;
  CapJournal journal_;
  bool read_only_;
  UnknownWords unknown_;
};

}  // namespace

Result<std::unique_ptr<Workload>> open_command(const CommandSettings& settings,
                                               const AdapterSettings& adapter, Caller caller,
                                               bool read_only) {
  Program program(settings.argv, adapter.call_timeout_ms, std::move(caller));
  Result<CommandDescription> description =
      program.ask("describe", ordered_json::object(), read_description);
  if (!description) return tl::unexpected(description.error());
  Result<CapJournal> journal = CapJournal::open(adapter.journal, read_only);
  if (!journal) return tl::unexpected(journal.error());
  return std::make_unique<Command>(std::move(program), *std::move(description), *std::move(journal),
                                   read_only);
}

}  // namespace leasehold::agent
