// The parts of a simulated disk that its two halves share: the object that tests hold and the VFS
// that SQLite calls. Inner header.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/disk/file.hpp"
#include "tests/support/disk/simulated_disk.hpp"

namespace leasehold::test {

/// A random generator that is small and the same everywhere; its quality does not matter.
struct SplitMix {
  uint64_t state = 0;
  uint64_t next();
  uint64_t below(uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
};

struct SimulatedDisk::Parts {
  Parts(std::string prefix_, uint64_t seed) : prefix(std::move(prefix_)), random{seed} {}

  std::string prefix;
  SplitMix random;
  std::map<std::string, std::shared_ptr<DiskFile>, std::less<>> files;  // by whole path
  std::array<int64_t, kDiskCalls> calls{};
  std::vector<DiskFault> faults;  // `nth` counts down; 0: it has struck
  int64_t faults_met = 0;
  int64_t changes_left = -1;  // until the power goes; -1: it does not
  int64_t order = 0;
  int64_t capacity = 0;
  int64_t used = 0;
  bool names_changed = false;  // since the last sync of any file
  bool halted = false;
  bool down = false;  // crashed, and no database opened since

  /// The result for the call: 0, or the code of a fault; `done` is set with it.
  int meet(DiskCall call, std::string_view file, DiskDone& done);
  /// Does the same for calls that have no half.
  int meet(DiskCall call, std::string_view file);
  bool room_for(const DiskFile& file, size_t size) const;
  DiskFile* find(std::string_view path) const;
  std::shared_ptr<DiskFile> file(const std::string& path);  // made, not present, if missing
  void count(size_t before, size_t after);
  void recount();
  void sync(DiskFile& file);
  void kill_handles();
  void tear();

 private:
  bool power_goes(DiskCall call);
};

/// The calling thread's disks, its SQLite clock and random numbers.
struct DisksOfThread {
  std::vector<SimulatedDisk::Parts*> disks;
  int64_t now_ms = 0;
  SplitMix random;
};
DisksOfThread& disks_of_thread();

/// Makes the simulated VFS the default one of the process, once.
void register_simulated_vfs();

}  // namespace leasehold::test
