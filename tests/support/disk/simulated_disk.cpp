#include "tests/support/disk/simulated_disk.hpp"

#include <sqlite3.h>

#include <algorithm>

#include "tests/support/disk/parts.hpp"

namespace leasehold::test {

namespace {

bool changes(DiskCall call) {
  return call == DiskCall::write || call == DiskCall::truncate || call == DiskCall::sync ||
         call == DiskCall::remove;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

const char* name_of(DiskCall call) {
  constexpr std::array<const char*, kDiskCalls> kNames{
      "open", "read", "write", "truncate", "sync", "lock", "remove", "access", "map", "size"};
  return kNames[static_cast<size_t>(call)];
}

uint64_t SplitMix::next() {
  uint64_t mixed = (state += 0x9e3779b97f4a7c15U);
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

DisksOfThread& disks_of_thread() {
  thread_local DisksOfThread of_thread;
  return of_thread;
}

bool SimulatedDisk::Parts::power_goes(DiskCall call) {
  if (changes_left < 0 || !changes(call)) return false;
  if (changes_left > 0) {
    --changes_left;
    return false;
  }
  changes_left = -1;
  halted = true;
  return true;
}

int SimulatedDisk::Parts::meet(DiskCall call, std::string_view path, DiskDone& done) {
  ++calls[static_cast<size_t>(call)];
  done = DiskDone::nothing;
  if (halted || power_goes(call)) return SQLITE_IOERR;
  int code = SQLITE_OK;
  for (DiskFault& fault : faults) {
    if (fault.call != call || fault.nth == 0 || !ends_with(path, fault.file)) continue;
    if (fault.nth > 1) {
      --fault.nth;
      continue;
    }
    if (!fault.lasting) fault.nth = 0;
    ++faults_met;
    code = fault.code;
    done = fault.done;
  }
  return code;
}

int SimulatedDisk::Parts::meet(DiskCall call, std::string_view path) {
  DiskDone done = DiskDone::nothing;
  return meet(call, path, done);
}

bool SimulatedDisk::Parts::room_for(const DiskFile& file, size_t size) const {
  if (capacity == 0 || size <= file.bytes.size()) return true;
  return used + static_cast<int64_t>(size - file.bytes.size()) <= capacity;
}

DiskFile* SimulatedDisk::Parts::find(std::string_view path) const {
  const auto found = files.find(path);
  return found == files.end() || !found->second->present ? nullptr : found->second.get();
}

std::shared_ptr<DiskFile> SimulatedDisk::Parts::file(const std::string& path) {
  std::shared_ptr<DiskFile>& slot = files[path];
  if (!slot) slot = std::make_shared<DiskFile>(path);
  return slot;
}

void SimulatedDisk::Parts::count(size_t before, size_t after) {
  used += static_cast<int64_t>(after) - static_cast<int64_t>(before);
}

void SimulatedDisk::Parts::sync(DiskFile& synced) {
  synced.sync();
  if (!names_changed) return;
  for (auto& [path, file] : files) file->persist_name();
  names_changed = false;
}

void SimulatedDisk::Parts::recount() {
  used = 0;
  for (const auto& [path, file] : files) used += static_cast<int64_t>(file->bytes.size());
}

/// Releases locks and shared memory, as happens when the process that held them ends.
void SimulatedDisk::Parts::kill_handles() {
  for (auto& [path, file] : files) {
    ++file->process;
    file->handles = 0;
    file->locks = {};
    file->memory.reset();
  }
  halted = false;
  changes_left = -1;
  down = true;
}

/// Takes back the newest changes of all files down to a chosen one, and a part of that one.
void SimulatedDisk::Parts::tear() {
  std::vector<std::pair<int64_t, DiskFile*>> changed;
  for (auto& [path, file] : files) {
    for (const Unsynced& change : file->unsynced) changed.emplace_back(change.order, file.get());
  }
  std::sort(changed.begin(), changed.end());
  const size_t survive = static_cast<size_t>(random.below(changed.size() + 1));
  for (size_t i = changed.size(); i > survive; --i) {
    DiskFile& file = *changed[i - 1].second;
    const Unsynced& last = file.unsynced.back();
    size_t keep = 0;
    if (i == survive + 1) {
      const size_t end = last.offset + static_cast<size_t>(random.below(last.length + 1));
      keep = std::max(end / kSectorBytes * kSectorBytes, last.offset) - last.offset;
    }
    file.undo(keep);
  }
}

SimulatedDisk::SimulatedDisk(std::string prefix, uint64_t seed)
    : parts_(std::make_unique<Parts>(std::move(prefix), seed)) {
  register_simulated_vfs();
  if (disks_of_thread().disks.empty()) seed_sqlite(seed);
  disks_of_thread().disks.push_back(parts_.get());
}

SimulatedDisk::~SimulatedDisk() {
  parts_->kill_handles();
  auto& disks = disks_of_thread().disks;
  disks.erase(std::remove(disks.begin(), disks.end(), parts_.get()), disks.end());
}

void SimulatedDisk::crash(DiskCrash how) {
  switch (how) {
    case DiskCrash::keep_written:
      break;
    case DiskCrash::lose_unsynced:
      for (auto& [path, file] : parts_->files) file->undo_all();
      break;
    case DiskCrash::torn:
      parts_->tear();
      break;
    case DiskCrash::scattered:
      for (auto& [path, file] : parts_->files) {
        file->scatter([this] { return parts_->random.below(2) == 1; }, kSectorBytes);
      }
      break;
  }
  // A machine that comes up again finds what is on its disk. A process alone that was killed leaves
  // its unsynced writes to the system, which may still lose them.
  if (how != DiskCrash::keep_written) {
    for (auto& [path, file] : parts_->files) file->read_disk_again();
  }
  parts_->kill_handles();
  parts_->recount();
}

DiskSnapshot SimulatedDisk::snapshot() const {
  DiskSnapshot copy;
  for (const auto& [path, file] : parts_->files) {
    if (file->present) copy.emplace(path.substr(parts_->prefix.size()), file->bytes);
  }
  return copy;
}

void SimulatedDisk::restore(const DiskSnapshot& files) {
  remove_all();
  for (const auto& [name, bytes] : files) parts_->file(parts_->prefix + name)->replace(bytes);
  parts_->recount();
}

void SimulatedDisk::restore_file(std::string_view name, std::vector<uint8_t> bytes) {
  parts_->kill_handles();
  parts_->file(parts_->prefix + std::string(name))->replace(std::move(bytes));
  parts_->recount();
}

bool SimulatedDisk::remove_file(std::string_view name) {
  DiskFile* file = parts_->find(parts_->prefix + std::string(name));
  if (file == nullptr) return false;
  parts_->kill_handles();
  file->replace({});
  file->present = false;
  parts_->recount();
  return true;
}

void SimulatedDisk::remove_all() {
  parts_->kill_handles();
  parts_->files.clear();
  parts_->used = 0;
}

void SimulatedDisk::fail(DiskFault fault) {
  parts_->faults.push_back(std::move(fault));
}
void SimulatedDisk::clear_faults() {
  parts_->faults.clear();
  parts_->faults_met = 0;
}
int64_t SimulatedDisk::faults_met() const {
  return parts_->faults_met;
}
void SimulatedDisk::halt_after(int64_t changes) {
  parts_->changes_left = changes;
}
bool SimulatedDisk::halted() const {
  return parts_->halted;
}
void SimulatedDisk::set_capacity(int64_t bytes) {
  parts_->capacity = bytes;
}
int64_t SimulatedDisk::bytes_used() const {
  return parts_->used;
}
int64_t SimulatedDisk::calls(DiskCall call) const {
  return parts_->calls[static_cast<size_t>(call)];
}
int64_t SimulatedDisk::unsynced_bytes() const {
  int64_t bytes = 0;
  for (const auto& [path, file] : parts_->files) {
    for (const Unsynced& change : file->unsynced) bytes += static_cast<int64_t>(change.length);
  }
  return bytes;
}
bool SimulatedDisk::has_file(std::string_view name) const {
  return parts_->find(parts_->prefix + std::string(name)) != nullptr;
}
int SimulatedDisk::open_handles() const {
  int handles = 0;
  for (const auto& [path, file] : parts_->files) handles += file->handles;
  return handles;
}

void SimulatedDisk::set_clock(Instant now) {
  disks_of_thread().now_ms = now.ms;
}
void SimulatedDisk::seed_sqlite(uint64_t seed) {
  disks_of_thread().random = SplitMix{seed};
  sqlite3_randomness(0, nullptr);  // it forgets what it has and asks again
}

}  // namespace leasehold::test
