#include "broker/store/sqlite/log_writing.hpp"

namespace leasehold {

LogWriting::LogWriting(SQLite::Database& db, const Fault& fault)
    : row_(db, fault, "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      // It replaces a part that a commit has kept though it was reported as failed.
      part_(db, fault, "INSERT OR REPLACE INTO base VALUES (?, ?, ?, ?, ?)") {}

void LogWriting::row(const LogRow& row) {
  const std::string hash(bytes_of(row.hash));
  row_(row.first_event, row.batch, row.time.ms, row.clock_set, row.core_version, row.epoch,
       Blob{row.body}, Blob{hash});
}

void LogWriting::base(int64_t last_event, Instant time, const std::vector<Chunk>& chunks) {
  for (size_t i = 1; i <= chunks.size(); ++i) {
    const size_t at = i % chunks.size();
    part(last_event, static_cast<int64_t>(at), time, chunks[at]);
  }
}

void LogWriting::part(int64_t last_event, int64_t part, Instant time, const Chunk& chunk) {
  const std::string hash(bytes_of(chunk.hash));
  part_(last_event, part, time.ms, Blob{chunk.body}, Blob{hash});
}

}  // namespace leasehold
