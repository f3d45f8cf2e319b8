#include "broker/daemon/pause_point.hpp"

#include <algorithm>

#include "common/time/pause.hpp"

namespace leasehold {

Result<PausePoint> PausePoint::parse(const std::string& text) {
  PausePoint point;
  point.text_ = text;
  if (text.empty()) return point;
  const size_t colon = text.find(':');
  const std::string what = text.substr(0, colon);
  point.place_ = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool place_known = point.place_ == "before-commit" || point.place_ == "after-commit" ||
                           point.place_ == "after-send";
  if ((what != "release" && what != "grant") || !place_known) {
    return fail(ErrorCode::usage, "--pause-at '" + text +
                                      "': want release or grant, a colon, and before-commit, "
                                      "after-commit or after-send");
  }
  point.kind_ = what == "grant" ? RecordKind::transfer_granted : RecordKind::transfer_started;
  return point;
}

void PausePoint::reached(const char* place, std::span<const Record> batch) const {
  if (place_ != place) return;
  // Only what an evaluation moves: first offers are transfers too.
  const bool here = std::any_of(batch.begin(), batch.end(), [this](const Record& row) {
    return row.kind == kind_ &&
           (row.reason == Reason::provider_idle || row.reason == Reason::consumer_idle);
  });
  if (!here) return;
  pause_here(text_);
}

}  // namespace leasehold
