// One file of a simulated disk: its bytes, which of them are not synced, its locks and its shared
// memory. Inner header of simulated_disk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace leasehold::test {

/// The holders of the file's lock and of SQLite's locks of its shared memory. Owners are handles.
struct FileLocks {
  int shared = 0;
  const void* reserved = nullptr;
  const void* pending = nullptr;  // and exclusive, once `shared` is its own alone

  /// SQLite's levels; true: `owner`, who has `from`, has `to` now.
  bool raise(const void* owner, int& from, int to);
  void lower(const void* owner, int& from, int to);
};

struct SharedMemory {
  static constexpr size_t kLocks = 8;  // SQLITE_SHM_NLOCK
  std::vector<std::unique_ptr<uint8_t[]>> regions;
  std::array<int, kLocks> readers{};
  std::array<bool, kLocks> writer{};
};

/// One step back: the content that an unsynced change has replaced.
struct Unsynced {
  enum class Kind : uint8_t { write, truncate, create, remove };
  Kind kind = Kind::write;
  int64_t order = 0;  // over all files of the disk
  size_t offset = 0;
  size_t length = 0;
  size_t size_before = 0;
  size_t saved_at = 0;  // in `saved`
  size_t saved_length = 0;
};

class DiskFile {
 public:
  explicit DiskFile(std::string path) : name(std::move(path)) {}

  /// Reads bytes. False: the file ends before; the rest is zero.
  bool read(uint8_t* into, size_t length, size_t offset) const;
  void write(const uint8_t* from, size_t length, size_t offset, int64_t order);
  void truncate(size_t size, int64_t order);
  void create(int64_t order);
  void remove(int64_t order);
  void sync();
  /// Makes the file's creation or removal durable; what was written since may not be.
  void persist_name();
  /// Does a sync that fails as Linux lets it: what was to be synced stays readable, but counts as
  /// synced and never reaches the disk unless it is written again.
  void sync_in_vain();
  void replace(std::vector<uint8_t> bytes);  // synced
  /// After a power loss: reads the disk again. What is in `bytes` counts as synced then.
  void read_disk_again();

  /// Takes back the newest change that is not synced. `keep`: so many bytes of it stay.
  void undo(size_t keep = 0);
  void undo_all();
  /// Every sector that is not synced stays if `coin` says so; so do length and presence.
  void scatter(const std::function<bool()>& coin, size_t sector);

  const std::string name;  // the whole path
  bool present = false;
  std::vector<uint8_t> bytes;
  std::vector<Unsynced> unsynced;
  FileLocks locks;
  std::shared_ptr<SharedMemory> memory;
  uint32_t process = 0;  // handles of an earlier one are dead
  int handles = 0;       // of this one

 private:
  void note(Unsynced::Kind kind, int64_t order, size_t offset, size_t length, size_t save_from,
            size_t save_to);
  void sync_ranges();
  std::vector<uint8_t> saved_;
  std::optional<std::vector<uint8_t>> on_disk_;  // where it is not what the system believes
};

}  // namespace leasehold::test
