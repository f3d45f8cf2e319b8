// SimulatedDisk: the disk of one machine, in memory: SQLite keeps the files below a path prefix
// there, and a test decides what goes wrong. Not a file system: only SQLite's own files are here.
//
//   SimulatedDisk disk("/dev/shm/x/broker/", 7);     // before anything below it is opened
//   auto store = SqliteStore::open("/dev/shm/x/broker/broker.db", OpenMode::broker);
//   disk.fail({.call = DiskCall::sync, .nth = 3, .code = SQLITE_IOERR_FSYNC});
//   ...
//   disk.crash(DiskCrash::torn);                     // open handles are dead, contents fall back
//   store->reset(); store = SqliteStore::open(...);  // the next process
//
// The first disk makes an SQLite VFS the default one; paths of no disk go on to the real one, so
// that nothing else in the process changes. Programs use SqliteStore and StateFile as they are.
// `<path>.lock` and `<path>.commit` are plain files of those two: their folder must really exist.
//
// One thread: a disk, its files, the clock and the seed belong to the thread that made the disk;
// each thread has its own. No mutex, no wait; an operation allocates only while a buffer grows.
// What is written but not synced can be lost: an undo log per file, emptied by each sync, holds
// what was there before. A write is never torn below kSectorBytes, and never beyond its range.
// Names keep their order, as on ext4 and xfs: a sync of any file also keeps that files were made or
// removed before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/time/instant.hpp"

namespace leasehold::test {

enum class DiskCall : uint8_t {
  open,
  read,
  write,
  truncate,
  sync,
  lock,
  remove,
  access,
  map,
  size
};
inline constexpr size_t kDiskCalls = 10;

/// How much of a call that fails is done all the same. A sync done by half is what Linux does: the
/// bytes stay readable and count as synced, but reach the disk only if they are written again.
enum class DiskDone : uint8_t { nothing, half, all };

struct DiskFault {
  DiskCall call = DiskCall::write;
  int64_t nth = 1;       // of such calls from now on (of `file`), 1 = the next
  int code = 10;         // SQLite gets it: SQLITE_IOERR and its kin, SQLITE_FULL, SQLITE_BUSY
  bool lasting = false;  // and all later ones, until clear_faults()
  DiskDone done = DiskDone::nothing;
  std::string file;  // end of the file's name, "-wal"; empty: any
};

enum class DiskCrash : uint8_t {
  keep_written,   // kill -9: the system still has what was written
  lose_unsynced,  // power loss: only what was synced
  torn,           // power loss: the first so many of the unsynced writes, the last one in part
  scattered,      // power loss: any of the unsynced sectors
};

/// All files of a disk, names relative to its prefix.
using DiskSnapshot = std::map<std::string, std::vector<uint8_t>, std::less<>>;

class SimulatedDisk {
 public:
  static constexpr size_t kSectorBytes = 512;

  /// Files whose path begins with `prefix` are on this disk. `seed` decides how a crash tears.
  explicit SimulatedDisk(std::string prefix, uint64_t seed = 1);
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;
  /// Handles that are still open are dead afterwards.
  ~SimulatedDisk();

  /// Ends the process or the machine: every handle that is open is dead (each call fails), and
  /// until the next database is opened nothing can be removed (the dead process may still try).
  void crash(DiskCrash how);

  /// Gives what a copy of the folder would hold now, written or synced.
  DiskSnapshot snapshot() const;
  /// Puts these files in place of all others, synced. Open handles are dead.
  void restore(const DiskSnapshot& files);
  /// Puts one file alone back, or removes it. False: there is none of that name.
  void restore_file(std::string_view name, std::vector<uint8_t> bytes);
  bool remove_file(std::string_view name);
  void remove_all();

  void fail(DiskFault fault);
  void clear_faults();
  /// Faults that have struck since clear_faults().
  int64_t faults_met() const;
  /// The power goes after so many more changes (write, truncate, sync, remove): every later call
  /// fails, until crash().
  void halt_after(int64_t changes);
  bool halted() const;
  /// Writes that would need more than this are SQLITE_FULL. 0: no limit.
  void set_capacity(int64_t bytes);
  int64_t bytes_used() const;

  /// Calls since the disk was made.
  int64_t calls(DiskCall call) const;
  int64_t unsynced_bytes() const;
  bool has_file(std::string_view name) const;
  int open_handles() const;  // dead ones not counted

  /// Clock of SQLite in this thread while it has a disk; it stands still otherwise.
  static void set_clock(Instant now);
  /// Sets where SQLite's random numbers (salts of its log) begin again.
  static void seed_sqlite(uint64_t seed);

  struct Parts;  // for the VFS

 private:
  std::unique_ptr<Parts> parts_;
};

const char* name_of(DiskCall call);

}  // namespace leasehold::test
