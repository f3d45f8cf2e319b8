// The agent's state file on a disk that fails at its n-th call, of each kind, or loses its power:
// what a call said is on disk is there, and nothing is there by half.
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <functional>
#include <optional>

#include "agent/io/state/state_file.hpp"
#include "common/wire/codec.hpp"
#include "tests/support/disk/simulated_disk.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::agent;
using namespace leasehold::test;

namespace {

constexpr int kSaves = 24;

GroupLimits group(uint64_t generation, int step) {
  GroupLimits made;
  made.generation = generation;
  made.role = wire::Role::consumer;
  made.seq = static_cast<uint64_t>(100 + step);
  made.ever_used = step % 2 == 1;
  made.grace_ms = step;
  made.hosts.resize(3);
  for (HostLimit& host : made.hosts) host.limit = step++;
  made.hosts[2].lowering = OpenLowering{wire::Lowering::reclaim, 1};
  return made;
}

/// The expected content of the file after each of the saves.
struct Kept {
  wire::Configuration configuration;
  std::vector<GroupLimits> limits;
};

void put(std::vector<GroupLimits>& limits, const GroupLimits& group) {
  std::erase_if(limits, [&](const GroupLimits& old) { return old.generation == group.generation; });
  limits.push_back(group);
  std::sort(limits.begin(), limits.end(),
            [](const auto& a, const auto& b) { return a.generation < b.generation; });
}

/// Makes the n-th save: now and then a configuration with groups that come and go, else one group.
Status save(StateFile& file, int n, Kept& kept) {
  if (n % 6 != 0) {
    put(kept.limits, group(static_cast<uint64_t>(n % 4), n));
    return file.save(group(static_cast<uint64_t>(n % 4), n));
  }
  kept.configuration.number = static_cast<uint64_t>(n) + 1;
  kept.configuration.groups.resize(static_cast<size_t>(n) * 9 + 2);
  uint64_t generation = 100;
  for (wire::ConfiguredGroup& group : kept.configuration.groups) group.generation = generation++;
  put(kept.limits, group(3, n));
  put(kept.limits, group(9, n));
  std::erase_if(kept.limits, [](const GroupLimits& old) { return old.generation == 2; });
  return file.save(kept.configuration, {group(9, n), group(3, n)}, {2});
}

bool same(const SavedState& found, const Kept& kept) {
  return wire::encode(found.configuration) == wire::encode(kept.configuration) &&
         found.limits == kept.limits;
}

/// An agent's life on a disk that fails: after a failure it goes on with the file, as an agent
/// does, or ends.
class AgentLife {
 public:
  AgentLife(SimulatedDisk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}

  /// How the process ends when a save fails; nullopt: it tries again.
  std::optional<DiskCrash> end;

  void live() {
    for (int tries = 0; saved_ < kSaves; ++tries) {
      REQUIRE(tries < kSaves + 20);
      if (!file_ && !start()) {
        restart(end);
        continue;
      }
      Kept next = kept_;
      if (save(*file_, saved_, next)) {
        kept_ = std::move(next);
        ++saved_;
        in_doubt_ = false;
        if (saved_ % 10 == 0) restart(std::nullopt);
      } else {
        in_doubt_ = true;
        doubtful_ = std::move(next);
        if (end) restart(end);
      }
    }
  }
  void live_until_failure() {
    while (saved_ < kSaves) {
      if (!file_ && !start()) return;
      Kept next = kept_;
      const bool done = save(*file_, saved_, next).has_value();
      in_doubt_ = false;
      if (!done) {
        in_doubt_ = true;
        doubtful_ = std::move(next);
        return;
      }
      kept_ = std::move(next);
      ++saved_;
    }
  }
  void restart(std::optional<DiskCrash> how) {
    if (how) disk_.crash(*how);
    file_.reset();
  }
  /// Returns false if the file cannot be opened now, which is allowed.
  bool start() {
    auto opened = StateFile::open(path_);
    if (!opened) return false;
    const auto boot = opened->next_boot({});
    const auto found = boot ? opened->load() : tl::unexpected(boot.error());
    if (!found) return false;
    INFO("after " << saved_ << " saves");
    REQUIRE(*boot > boot_);
    boot_ = *boot;
    REQUIRE((state_id_ == 0 || found->state_id == state_id_));
    state_id_ = found->state_id;
    REQUIRE(found->lost == (found->configuration.number == 0));
    if (in_doubt_ && same(*found, doubtful_)) {
      kept_ = doubtful_;
      ++saved_;
    } else {
      REQUIRE((found->lost ? saved_ == 0 : same(*found, kept_)));
    }
    in_doubt_ = false;
    file_.emplace(std::move(*opened));
    return true;
  }
  bool finished() const { return saved_ == kSaves; }

 private:
  SimulatedDisk& disk_;
  std::string path_;
  std::optional<StateFile> file_;
  int saved_ = 0;
  Kept kept_;
  bool in_doubt_ = false;  // the last save failed: it may be on disk or not
  Kept doubtful_;
  uint64_t boot_ = 0;
  uint64_t state_id_ = 0;
};

struct Kind {
  DiskCall call;
  int code;
  DiskDone done;
};

int64_t fail_each(const Kind& kind, std::optional<DiskCrash> end) {
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  for (int64_t n = 1;; ++n) {
    INFO(name_of(kind.call) << " " << n << " fails with " << kind.code
                            << ", done: " << static_cast<int>(kind.done));
    disk.remove_all();
    disk.clear_faults();
    disk.fail({kind.call, n, kind.code, false, kind.done, ""});
    AgentLife life(disk, dir.file("agent.db"));
    life.end = end;
    life.live();
    const bool met = disk.faults_met() > 0;
    disk.clear_faults();
    life.restart(DiskCrash::lose_unsynced);
    REQUIRE(life.start());
    if (!met) return n - 1;
  }
}

}  // namespace

TEST_CASE("whichever call fails the agent's state is what it was told is on disk", "[sweep]") {
  const Kind kind = GENERATE(Kind{DiskCall::write, SQLITE_IOERR_WRITE, DiskDone::nothing},
                             Kind{DiskCall::write, SQLITE_IOERR_WRITE, DiskDone::all},
                             Kind{DiskCall::write, SQLITE_FULL, DiskDone::half},
                             Kind{DiskCall::sync, SQLITE_IOERR_FSYNC, DiskDone::nothing},
                             Kind{DiskCall::sync, SQLITE_IOERR_FSYNC, DiskDone::all},
                             Kind{DiskCall::read, SQLITE_IOERR_READ, DiskDone::nothing},
                             Kind{DiskCall::truncate, SQLITE_IOERR_TRUNCATE, DiskDone::nothing},
                             Kind{DiskCall::open, SQLITE_CANTOPEN, DiskDone::nothing},
                             Kind{DiskCall::lock, SQLITE_BUSY, DiskDone::nothing},
                             Kind{DiskCall::lock, SQLITE_IOERR_LOCK, DiskDone::nothing},
                             Kind{DiskCall::remove, SQLITE_IOERR_DELETE, DiskDone::nothing},
                             Kind{DiskCall::access, SQLITE_IOERR_ACCESS, DiskDone::nothing},
                             Kind{DiskCall::map, SQLITE_IOERR_SHMMAP, DiskDone::nothing},
                             Kind{DiskCall::size, SQLITE_IOERR_FSTAT, DiskDone::nothing});
  const auto end = GENERATE(std::optional<DiskCrash>{}, DiskCrash::keep_written, DiskCrash::torn);
  const int64_t calls = fail_each(kind, end);
  CHECK(calls > (kind.call == DiskCall::write ? 100 : 1));
}

TEST_CASE("whenever the power goes or the agent dies, its state is what it was told is on disk") {
  const auto how = GENERATE(DiskCrash::keep_written, DiskCrash::lose_unsynced, DiskCrash::torn,
                            DiskCrash::scattered);
  const TempDir dir;
  for (int64_t changes = 0;; ++changes) {
    INFO("after " << changes << " changes, crash " << static_cast<int>(how));
    SimulatedDisk disk(dir.file(""), static_cast<uint64_t>(changes));
    AgentLife life(disk, dir.file("agent.db"));
    disk.halt_after(changes);
    life.live_until_failure();
    const bool to_the_end = life.finished();
    life.restart(how);
    REQUIRE(life.start());
    life.live();
    if (to_the_end) {
      CHECK(changes > 100);
      break;
    }
  }
}

TEST_CASE("an agent's full disk is an error at each save, and none when it is freed") {
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  auto file = StateFile::open(dir.file("agent.db"));
  REQUIRE(file);
  Kept kept;
  REQUIRE(save(*file, 0, kept));
  disk.set_capacity(disk.bytes_used());
  Kept lost = kept;
  int refused = 0;
  for (int n = 1; n < 40; ++n) refused += save(*file, n, lost) ? 0 : 1;
  CHECK(refused > 0);
  disk.set_capacity(0);
  REQUIRE(save(*file, 7, kept));
  CHECK(file->load());
}

TEST_CASE("an agent's state without a write-ahead log is refused") {
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  disk.fail({DiskCall::map, 1, SQLITE_IOERR_SHMMAP, true, DiskDone::nothing, ""});
  CHECK_FALSE(StateFile::open(dir.file("agent.db")));
  disk.clear_faults();
  CHECK(StateFile::open(dir.file("agent.db")));
}
