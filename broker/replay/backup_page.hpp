// A log in parts, as it goes to who makes a copy of it (backup_file.hpp): rows and bases in the
// order in which they were written, each part short, so that a copy holds nobody up.
#pragma once

#include <cstdint>
#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

class Log;

/// Where a copy has come to: everything up to event `after` is there, and of the base after it the
/// first `part` parts. Without `after`: at the beginning of what is kept.
struct BackupPlace {
  std::optional<int64_t> after;
  int64_t part = 0;
};

/// About so many bytes a part.
inline constexpr size_t kBackupPageBytes = size_t{1} << 20U;

/// {"items":[…],"after","part","last_event"}: page_bytes of what comes next, one item at the least,
/// where that ends, and where the log ends now. An item is
/// {"row":[first_event,batch,time_ms,clock_set,core_version, epoch],"events","body","hash"} or
/// {"base":[last_event,part,time_ms],"body","hash"}; bytes are in base64. No items: there is no
/// more for now. Errors: `refused` where retention has removed what would come next; corrupt.
Result<Json> backup_page(Log& log, const BackupPlace& from, size_t page_bytes = kBackupPageBytes);

}  // namespace leasehold
