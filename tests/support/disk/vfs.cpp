// Implements SQLite's VFS for files of a simulated disk. Paths of no disk go to the real VFS.
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "tests/support/disk/parts.hpp"

namespace leasehold::test {

namespace {

using Disk = SimulatedDisk::Parts;

/// Lies in memory of SQLite's; made in xOpen, ended in xClose.
struct Handle : sqlite3_file {
  Disk* disk = nullptr;  // not to be touched by a dead handle: the disk may be gone
  std::shared_ptr<DiskFile> file;
  std::shared_ptr<SharedMemory> memory;
  uint32_t process = 0;
  int level = SQLITE_LOCK_NONE;
  uint32_t reads = 0;    // bits of the shared memory's locks
  uint32_t writes = 0;   // the same
  bool passing = false;  // removed when it is closed

  bool dead() const { return file->process != process; }
  int meet(DiskCall call) const { return disk->meet(call, file->name); }
};

sqlite3_vfs* real = nullptr;

Handle& handle_of(sqlite3_file* file) {
  return *static_cast<Handle*>(file);
}

Disk* disk_of(const char* path) {
  if (path == nullptr) return nullptr;
  Disk* found = nullptr;
  for (Disk* disk : disks_of_thread().disks) {
    const bool below = std::strncmp(path, disk->prefix.c_str(), disk->prefix.size()) == 0;
    if (below && (found == nullptr || disk->prefix.size() > found->prefix.size())) found = disk;
  }
  return found;
}

void let_go_of_memory(Handle& handle) {
  if (!handle.memory) return;
  SharedMemory& memory = *handle.memory;
  for (size_t i = 0; i < SharedMemory::kLocks; ++i) {
    if ((handle.reads >> i & 1U) != 0) --memory.readers[i];
    if ((handle.writes >> i & 1U) != 0) memory.writer[i] = false;
  }
  handle.reads = handle.writes = 0;
  handle.memory.reset();
  // The last one of a process takes it along: the next must recover from the log.
  if (!handle.dead() && handle.file->memory.use_count() == 1) handle.file->memory.reset();
}

int close_file(sqlite3_file* base) {
  Handle& handle = handle_of(base);
  let_go_of_memory(handle);
  if (!handle.dead()) {
    handle.file->locks.lower(&handle, handle.level, SQLITE_LOCK_NONE);
    --handle.file->handles;
    if (handle.passing) {
      handle.disk->count(handle.file->bytes.size(), 0);
      handle.disk->files.erase(handle.file->name);
    }
  }
  handle.~Handle();
  return SQLITE_OK;
}

int read_file(sqlite3_file* base, void* into, int length, sqlite3_int64 offset) {
  Handle& handle = handle_of(base);
  if (handle.dead()) return SQLITE_IOERR_READ;
  if (const int code = handle.meet(DiskCall::read); code != SQLITE_OK) return code;
  const bool whole = handle.file->read(static_cast<uint8_t*>(into), static_cast<size_t>(length),
                                       static_cast<size_t>(offset));
  return whole ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* base, const void* from, int length, sqlite3_int64 offset) {
  Handle& handle = handle_of(base);
  if (handle.dead()) return SQLITE_IOERR_WRITE;
  DiskDone done = DiskDone::nothing;
  DiskFile& file = *handle.file;
  Disk& disk = *handle.disk;
  const int code = disk.meet(DiskCall::write, file.name, done);
  auto bytes = static_cast<size_t>(length);
  if (code != SQLITE_OK) {
    if (done == DiskDone::nothing) return code;
    if (done == DiskDone::half) bytes /= 2;
  }
  const auto at = static_cast<size_t>(offset);
  if (!disk.room_for(file, at + bytes)) return SQLITE_FULL;
  const size_t before = file.bytes.size();
  file.write(static_cast<const uint8_t*>(from), bytes, at, ++disk.order);
  disk.count(before, file.bytes.size());
  return code;
}

int truncate_file(sqlite3_file* base, sqlite3_int64 size) {
  Handle& handle = handle_of(base);
  if (handle.dead()) return SQLITE_IOERR_TRUNCATE;
  DiskDone done = DiskDone::nothing;
  DiskFile& file = *handle.file;
  const int code = handle.disk->meet(DiskCall::truncate, file.name, done);
  if (code != SQLITE_OK && done != DiskDone::all) return code;
  const size_t before = file.bytes.size();
  const auto after = static_cast<size_t>(size);
  if (!handle.disk->room_for(file, after)) return SQLITE_FULL;
  if (after != before) file.truncate(after, ++handle.disk->order);
  handle.disk->count(before, after);
  return code;
}

int sync_file(sqlite3_file* base, int) {
  Handle& handle = handle_of(base);
  if (handle.dead()) return SQLITE_IOERR_FSYNC;
  DiskDone done = DiskDone::nothing;
  const int code = handle.disk->meet(DiskCall::sync, handle.file->name, done);
  if (code == SQLITE_OK || done == DiskDone::all) handle.disk->sync(*handle.file);
  if (code != SQLITE_OK && done == DiskDone::half) handle.file->sync_in_vain();
  return code;
}

int size_of_file(sqlite3_file* base, sqlite3_int64* size) {
  Handle& handle = handle_of(base);
  if (handle.dead()) return SQLITE_IOERR_FSTAT;
  if (const int code = handle.meet(DiskCall::size); code != SQLITE_OK) return code;
  *size = static_cast<sqlite3_int64>(handle.file->bytes.size());
  return SQLITE_OK;
}

int lock_file(sqlite3_file* base, int level) {
  Handle& handle = handle_of(base);
  if (handle.dead()) return SQLITE_IOERR_LOCK;
  if (const int code = handle.meet(DiskCall::lock); code != SQLITE_OK) return code;
  return handle.file->locks.raise(&handle, handle.level, level) ? SQLITE_OK : SQLITE_BUSY;
}

int unlock_file(sqlite3_file* base, int level) {
  Handle& handle = handle_of(base);
  if (handle.dead()) return SQLITE_IOERR_UNLOCK;
  handle.file->locks.lower(&handle, handle.level, level);
  return SQLITE_OK;
}

int check_reserved(sqlite3_file* base, int* reserved) {
  Handle& handle = handle_of(base);
  if (handle.dead()) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  *reserved = handle.file->locks.reserved != nullptr ? 1 : 0;
  return SQLITE_OK;
}

int control(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}
int sector_size(sqlite3_file*) {
  return 4096;
}
int characteristics(sqlite3_file*) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int map_memory(sqlite3_file* base, int region, int size, int extend, void volatile** out) {
  Handle& handle = handle_of(base);
  *out = nullptr;
  if (handle.dead()) return SQLITE_IOERR_SHMMAP;
  if (const int code = handle.meet(DiskCall::map); code != SQLITE_OK) return code;
  if (!handle.memory) {
    if (!handle.file->memory) handle.file->memory = std::make_shared<SharedMemory>();
    handle.memory = handle.file->memory;
  }
  auto& regions = handle.memory->regions;
  const auto wanted = static_cast<size_t>(region);
  if (wanted >= regions.size()) {
    if (extend == 0) return SQLITE_OK;
    while (regions.size() <= wanted) {
      regions.push_back(std::make_unique<uint8_t[]>(static_cast<size_t>(size)));
    }
  }
  *out = regions[wanted].get();
  return SQLITE_OK;
}

int take_memory_locks(Handle& handle, uint32_t bits, bool exclusive) {
  SharedMemory& memory = *handle.memory;
  for (size_t i = 0; i < SharedMemory::kLocks; ++i) {
    if ((bits >> i & 1U) == 0) continue;
    const int own = static_cast<int>(handle.reads >> i & 1U);
    const bool written = memory.writer[i] && (handle.writes >> i & 1U) == 0;
    if (written || (exclusive && memory.readers[i] > own)) return SQLITE_BUSY;
  }
  for (size_t i = 0; i < SharedMemory::kLocks; ++i) {
    if ((bits >> i & 1U) == 0) continue;
    if (exclusive) {
      memory.writer[i] = true;
    } else if ((handle.reads >> i & 1U) == 0) {
      ++memory.readers[i];
    }
  }
  (exclusive ? handle.writes : handle.reads) |= bits;
  return SQLITE_OK;
}

void free_memory_locks(Handle& handle, uint32_t bits) {
  SharedMemory& memory = *handle.memory;
  for (size_t i = 0; i < SharedMemory::kLocks; ++i) {
    if ((bits & handle.reads) >> i & 1U) --memory.readers[i];
    if ((bits & handle.writes) >> i & 1U) memory.writer[i] = false;
  }
  handle.reads &= ~bits;
  handle.writes &= ~bits;
}

int lock_memory(sqlite3_file* base, int offset, int count, int flags) {
  Handle& handle = handle_of(base);
  if (handle.dead() || !handle.memory) return SQLITE_IOERR_SHMLOCK;
  const uint32_t bits = ((1U << static_cast<uint32_t>(count)) - 1U)
                        << static_cast<uint32_t>(offset);
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    free_memory_locks(handle, bits);
    return SQLITE_OK;
  }
  if (const int code = handle.meet(DiskCall::lock); code != SQLITE_OK) return code;
  return take_memory_locks(handle, bits, (flags & SQLITE_SHM_EXCLUSIVE) != 0);
}

void memory_barrier(sqlite3_file*) {}

int unmap_memory(sqlite3_file* base, int) {
  let_go_of_memory(handle_of(base));
  return SQLITE_OK;
}

const sqlite3_io_methods kMethods{2,
                                  close_file,
                                  read_file,
                                  write_file,
                                  truncate_file,
                                  sync_file,
                                  size_of_file,
                                  lock_file,
                                  unlock_file,
                                  check_reserved,
                                  control,
                                  sector_size,
                                  characteristics,
                                  map_memory,
                                  lock_memory,
                                  memory_barrier,
                                  unmap_memory,
                                  nullptr,
                                  nullptr};

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* base, int flags, int* out_flags) {
  Disk* disk = disk_of(path);
  if (disk == nullptr) return real->xOpen(real, path, base, flags, out_flags);
  base->pMethods = nullptr;
  if (const int code = disk->meet(DiskCall::open, path); code != SQLITE_OK) return code;
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) disk->down = false;
  const bool missing = disk->find(path) == nullptr;
  if (missing && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
  auto* handle = new (base) Handle;
  handle->pMethods = &kMethods;
  handle->disk = disk;
  handle->file = disk->file(path);
  handle->process = handle->file->process;
  handle->passing = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  if (missing) {
    handle->file->create(++disk->order);
    disk->names_changed = true;
  }
  ++handle->file->handles;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int remove_file(sqlite3_vfs*, const char* path, int sync_folder) {
  Disk* disk = disk_of(path);
  if (disk == nullptr) return real->xDelete(real, path, sync_folder);
  if (disk->down) return SQLITE_IOERR_DELETE;
  DiskDone done = DiskDone::nothing;
  const int code = disk->meet(DiskCall::remove, path, done);
  if (code != SQLITE_OK && done != DiskDone::all) return code;
  DiskFile* file = disk->find(path);
  if (file == nullptr) return SQLITE_IOERR_DELETE_NOENT;
  disk->count(file->bytes.size(), 0);
  file->remove(++disk->order);
  disk->names_changed = true;
  if (sync_folder != 0) disk->sync(*file);
  return code;
}

int access_file(sqlite3_vfs*, const char* path, int flags, int* out) {
  Disk* disk = disk_of(path);
  if (disk == nullptr) return real->xAccess(real, path, flags, out);
  if (const int code = disk->meet(DiskCall::access, path); code != SQLITE_OK) return code;
  const DiskFile* file = disk->find(path);
  // It answers as SQLite's own VFS does: an empty file does not "exist".
  *out = file != nullptr && (flags != SQLITE_ACCESS_EXISTS || !file->bytes.empty()) ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int room, char* out) {
  if (disk_of(path) == nullptr) return real->xFullPathname(real, path, room, out);
  sqlite3_snprintf(room, out, "%s", path);
  return SQLITE_OK;
}

int randomness(sqlite3_vfs*, int length, char* out) {
  if (disks_of_thread().disks.empty()) return real->xRandomness(real, length, out);
  for (int i = 0; i < length; ++i) out[i] = static_cast<char>(disks_of_thread().random.next());
  return length;
}

int sleep_for(sqlite3_vfs*, int us) {
  return disks_of_thread().disks.empty() ? real->xSleep(real, us) : us;
}

int current_time_ms(sqlite3_vfs*, sqlite3_int64* out) {
  if (disks_of_thread().disks.empty()) return real->xCurrentTimeInt64(real, out);
  constexpr sqlite3_int64 kUnixEpoch = 210'866'760'000'000;  // as a Julian day, in ms
  *out = kUnixEpoch + disks_of_thread().now_ms;
  return SQLITE_OK;
}

int current_time(sqlite3_vfs* vfs, double* out) {
  sqlite3_int64 ms = 0;
  const int code = current_time_ms(vfs, &ms);
  *out = static_cast<double>(ms) / 86'400'000.0;
  return code;
}

int last_error(sqlite3_vfs*, int length, char* out) {
  return real->xGetLastError(real, length, out);
}

sqlite3_vfs make_vfs() {
  sqlite3_vfs vfs = *real;  // with its calls to load libraries
  vfs.iVersion = 2;
  vfs.szOsFile = std::max(real->szOsFile, static_cast<int>(sizeof(Handle)));
  vfs.pNext = nullptr;
  vfs.zName = "simulated-disk";
  vfs.xOpen = open_file;
  vfs.xDelete = remove_file;
  vfs.xAccess = access_file;
  vfs.xFullPathname = full_path;
  vfs.xRandomness = randomness;
  vfs.xSleep = sleep_for;
  vfs.xCurrentTime = current_time;
  vfs.xGetLastError = last_error;
  vfs.xCurrentTimeInt64 = current_time_ms;
  return vfs;
}

}  // namespace

void register_simulated_vfs() {
  static const int done = [] {
    sqlite3_initialize();
    real = sqlite3_vfs_find(nullptr);
    static sqlite3_vfs simulated = make_vfs();
    return sqlite3_vfs_register(&simulated, 1);
  }();
  static_cast<void>(done);
}

}  // namespace leasehold::test
