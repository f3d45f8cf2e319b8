#include "tests/support/disk/file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>

namespace leasehold::test {

bool FileLocks::raise(const void* owner, int& from, int to) {
  if (from >= to) return true;
  if (from == SQLITE_LOCK_NONE) {
    if (pending != nullptr) return false;
    ++shared;
    from = SQLITE_LOCK_SHARED;
    if (to == from) return true;
  }
  if (reserved != nullptr && reserved != owner) return false;
  if (to == SQLITE_LOCK_RESERVED) {
    reserved = owner;
    from = to;
    return true;
  }
  if (pending != nullptr && pending != owner) return false;
  pending = owner;
  from = SQLITE_LOCK_PENDING;
  if (to == SQLITE_LOCK_PENDING) return true;
  if (shared > 1) return false;
  from = SQLITE_LOCK_EXCLUSIVE;
  return true;
}

void FileLocks::lower(const void* owner, int& from, int to) {
  if (from <= to) return;
  if (pending == owner) pending = nullptr;
  if (reserved == owner) reserved = nullptr;
  if (to == SQLITE_LOCK_NONE) --shared;
  from = to;
}

bool DiskFile::read(uint8_t* into, size_t length, size_t offset) const {
  const size_t there = offset < bytes.size() ? std::min(length, bytes.size() - offset) : 0;
  if (there > 0) std::memcpy(into, bytes.data() + offset, there);
  if (there == length) return true;
  std::memset(into + there, 0, length - there);
  return false;
}

/// Saves the bytes [save_from, save_to) that the change is about to replace.
void DiskFile::note(Unsynced::Kind kind, int64_t order, size_t offset, size_t length,
                    size_t save_from, size_t save_to) {
  const size_t from = std::min(save_from, bytes.size());
  const size_t to = std::clamp(save_to, from, bytes.size());
  unsynced.push_back({kind, order, offset, length, bytes.size(), saved_.size(), to - from});
  saved_.insert(saved_.end(), bytes.begin() + static_cast<std::ptrdiff_t>(from),
                bytes.begin() + static_cast<std::ptrdiff_t>(to));
}

void DiskFile::write(const uint8_t* from, size_t length, size_t offset, int64_t order) {
  note(Unsynced::Kind::write, order, offset, length, offset, offset + length);
  if (offset + length > bytes.size()) bytes.resize(offset + length);
  if (length > 0) std::memcpy(bytes.data() + offset, from, length);
}

void DiskFile::truncate(size_t size, int64_t order) {
  note(Unsynced::Kind::truncate, order, size, 0, size, bytes.size());
  bytes.resize(size);
}

void DiskFile::create(int64_t order) {
  note(Unsynced::Kind::create, order, 0, 0, 0, 0);
  present = true;
}

void DiskFile::remove(int64_t order) {
  note(Unsynced::Kind::remove, order, 0, 0, 0, bytes.size());
  bytes.clear();
  present = false;
}

void DiskFile::sync_ranges() {
  for (const Unsynced& change : unsynced) {
    if (change.kind == Unsynced::Kind::truncate || change.kind == Unsynced::Kind::remove) {
      on_disk_->resize(std::min(on_disk_->size(), change.offset));
    }
    const size_t end = std::min(change.offset + change.length, bytes.size());
    if (change.kind != Unsynced::Kind::write || change.offset >= end) continue;
    if (on_disk_->size() < end) on_disk_->resize(end);
    std::memcpy(on_disk_->data() + change.offset, bytes.data() + change.offset,
                end - change.offset);
  }
}

void DiskFile::sync_in_vain() {
  if (on_disk_) {
    unsynced.clear();
    saved_.clear();
    return;
  }
  std::vector<uint8_t> believed = bytes;
  const bool was_present = present;
  undo_all();
  on_disk_ = std::move(bytes);
  bytes = std::move(believed);
  present = was_present;
}

void DiskFile::read_disk_again() {
  if (on_disk_) bytes = std::move(*on_disk_);
  on_disk_.reset();
  unsynced.clear();
  saved_.clear();
}

void DiskFile::sync() {
  if (on_disk_) sync_ranges();
  unsynced.clear();
  saved_.clear();
}

void DiskFile::persist_name() {
  const auto removed = std::find_if(unsynced.rbegin(), unsynced.rend(), [](const Unsynced& change) {
    return change.kind == Unsynced::Kind::remove;
  });
  if (removed != unsynced.rend()) on_disk_.reset();
  unsynced.erase(unsynced.begin(), removed.base());
  unsynced.erase(
      std::remove_if(unsynced.begin(), unsynced.end(),
                     [](const Unsynced& change) { return change.kind == Unsynced::Kind::create; }),
      unsynced.end());
}

void DiskFile::replace(std::vector<uint8_t> with) {
  bytes = std::move(with);
  present = true;
  on_disk_.reset();
  sync();
}

void DiskFile::undo(size_t keep) {
  const Unsynced last = unsynced.back();
  unsynced.pop_back();
  const size_t kept = std::min(keep, last.length);
  const uint8_t* saved = saved_.data() + last.saved_at;
  if (last.kind == Unsynced::Kind::create) present = false;
  if (last.kind == Unsynced::Kind::remove) present = true;
  bytes.resize(kept > 0 ? std::max(last.size_before, last.offset + kept) : last.size_before);
  if (last.saved_length > kept) {
    std::memcpy(bytes.data() + last.offset + kept, saved + kept, last.saved_length - kept);
  }
  saved_.resize(last.saved_at);
}

void DiskFile::undo_all() {
  while (!unsynced.empty()) undo();
}

void DiskFile::scatter(const std::function<bool()>& coin, size_t sector) {
  if (unsynced.empty()) return;
  const std::vector<uint8_t> written = bytes;
  const bool was_present = present;
  undo_all();
  if (present != was_present && coin()) present = was_present;
  const size_t size = coin() ? written.size() : bytes.size();
  const std::vector<uint8_t> synced = std::move(bytes);
  bytes.assign(size, 0);
  for (size_t at = 0; at < size; at += sector) {
    const std::vector<uint8_t>& source = coin() ? written : synced;
    if (at >= source.size()) continue;
    const size_t length = std::min({sector, size - at, source.size() - at});
    std::memcpy(bytes.data() + at, source.data() + at, length);
  }
  if (!present) bytes.clear();
}

}  // namespace leasehold::test
