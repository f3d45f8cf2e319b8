// A log in parts, as a client that copies it receives them (backup_file.hpp): rows and bases in the
// order in which they were written. Each part is short, so that a copy delays nobody.
#pragma once

#include <cstdint>
#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

class Log;

/// The position of a copy: it has everything up to event `after`, and the first `part` parts of the
/// base after it. Without `after`: the beginning of what is kept.
struct BackupPlace {
  std::optional<int64_t> after;
  int64_t part = 0;
};

/// The approximate bytes of a part.
inline constexpr size_t kBackupPageBytes = size_t{1} << 20U;

/// Returns {"items":[…],"after","part","last_event"}: about page_bytes of what comes next, at least
/// one item, the position after it, and the log's present end. An item is
/// {"row":[first_event,batch,time_ms,clock_set,core_version, epoch],"events","body","hash"} or
/// {"base":[last_event,part,time_ms],"body","hash"}; bytes are in base64. Without items there is no
/// more at present. Errors: `refused` where retention has removed what would come next; corrupt.
Result<Json> backup_page(Log& log, const BackupPlace& from, size_t page_bytes = kBackupPageBytes);

}  // namespace leasehold
