#include "tests/simulation/crowd.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/check.hpp"
#include "tests/simulation/seeded_random.hpp"

namespace leasehold::simulation {

namespace {

constexpr int kJobsMost = 64;

/// The memory that the processes share.
struct Shared {
  std::atomic<uint64_t> next;
  std::atomic<bool> stop;
  std::atomic<uint64_t> at[kJobsMost];  // the seed that each process works on
};

volatile std::sig_atomic_t interrupted = 0;

/// Makes a folder for small real files beside the databases: in TMPDIR, else in memory if the
/// machine has such a place.
std::string scratch_folder() {
  const char* const asked = std::getenv("TMPDIR");
  const bool in_memory = std::filesystem::is_directory("/dev/shm");
  std::string name = asked != nullptr && *asked != '\0' ? asked : in_memory ? "/dev/shm" : "/tmp";
  name += "/leasehold-torture-XXXXXX";
  LEASEHOLD_CHECK(mkdtemp(name.data()) != nullptr, "a folder can be made");
  return name + "/";
}

void copy_text(char* to, size_t size, const std::string& text) {
  std::strncpy(to, text.c_str(), size - 1);
}

Outcome run_one(const CrowdOptions& options, uint64_t seed,
                const std::function<void(const std::string&)>& trace) {
  const std::string folder = scratch_folder();
  seed_random(seed);
  const RunResult result = run_seed({seed, options.hours, options.brokers, folder, trace});
  std::filesystem::remove_all(folder);
  Outcome outcome;
  outcome.seed = seed;
  outcome.simulated_ms = result.simulated_ms;
  outcome.messages = result.messages;
  outcome.met = result.faults.met;
  outcome.warm_take_overs = result.faults.warm_take_overs;
  outcome.violated = result.violation.has_value();
  if (result.violation) {
    copy_text(outcome.invariant, sizeof outcome.invariant, token(result.violation->invariant));
    copy_text(outcome.what, sizeof outcome.what,
              format_utc(Instant{result.violation->at_ms}) + " " + result.violation->what);
  }
  return outcome;
}

void work(const CrowdOptions& options, Shared& shared, int job, int pipe) {
  while (!shared.stop) {
    const uint64_t seed = shared.next++;
    if (seed >= options.first + options.seeds) break;
    shared.at[job] = seed;
    const Outcome outcome = run_one(options, seed, {});
    const ssize_t written = write(pipe, &outcome, sizeof outcome);
    if (written != static_cast<ssize_t>(sizeof outcome)) break;
    shared.at[job] = 0;
  }
  _exit(0);
}

void take(CrowdResult& result, const Outcome& outcome) {
  ++result.seeds;
  result.simulated_ms += outcome.simulated_ms;
  result.messages += outcome.messages;
  result.warm_take_overs += outcome.warm_take_overs;
  result.warm_seeds += outcome.warm_take_overs > 0 ? 1 : 0;
  for (size_t kind = 0; kind < kFaults; ++kind) {
    result.met[kind] += outcome.met[kind];
    result.seeds_with[kind] += outcome.met[kind] > 0 ? 1 : 0;
  }
  if (outcome.violated) result.violations.push_back(outcome);
}

void show_progress(const CrowdOptions& options, const CrowdResult& result) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r%llu of %llu seeds, %zu violations ",
               static_cast<unsigned long long>(result.seeds),
               static_cast<unsigned long long>(options.seeds), result.violations.size());
  if (result.seeds == options.seeds) std::fprintf(stderr, "\n");
}

/// A process that died leaves its seed as a violation.
void bury(CrowdResult& result, Shared& shared, const std::vector<pid_t>& pids) {
  for (size_t job = 0; job < pids.size(); ++job) {
    int status = 0;
    waitpid(pids[job], &status, 0);
    if (!WIFSIGNALED(status) && (!WIFEXITED(status) || WEXITSTATUS(status) == 0)) continue;
    if (interrupted != 0) continue;
    Outcome dead;
    dead.seed = shared.at[job];
    dead.violated = true;
    copy_text(dead.invariant, sizeof dead.invariant, "check-failed");
    copy_text(dead.what, sizeof dead.what,
              WIFSIGNALED(status)
                  ? "the program ended by signal " + std::to_string(WTERMSIG(status))
                  : "the program ended with " + std::to_string(WEXITSTATUS(status)));
    take(result, dead);
  }
}

}  // namespace

CrowdResult run_crowd(const CrowdOptions& options) {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  LEASEHOLD_CHECK(memory != MAP_FAILED, "the system has memory left");
  auto& shared = *new (memory) Shared{};
  shared.next = options.first;
  int ends[2];
  LEASEHOLD_CHECK(pipe(ends) == 0, "the system has a pipe left");
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::vector<pid_t> pids;
  for (int job = 0; job < std::clamp(options.jobs, 1, kJobsMost); ++job) {
    const pid_t pid = fork();
    LEASEHOLD_CHECK(pid >= 0, "the system has a process left");
    if (pid == 0) {
      close(ends[0]);
      work(options, shared, job, ends[1]);
    }
    pids.push_back(pid);
  }
  close(ends[1]);
  CrowdResult result;
  Outcome outcome;
  while (read(ends[0], &outcome, sizeof outcome) == static_cast<ssize_t>(sizeof outcome)) {
    take(result, outcome);
    show_progress(options, result);
    if (outcome.violated && !options.keep_going) shared.stop = true;
  }
  close(ends[0]);
  result.interrupted = interrupted != 0;
  bury(result, shared, pids);
  munmap(memory, sizeof(Shared));
  std::sort(result.violations.begin(), result.violations.end(),
            [](const Outcome& a, const Outcome& b) { return a.seed < b.seed; });
  return result;
}

Outcome run_traced(const CrowdOptions& options, uint64_t seed,
                   const std::function<void(const std::string&)>& trace) {
  return run_one(options, seed, trace);
}

}  // namespace leasehold::simulation
