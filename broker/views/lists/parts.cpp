#include "broker/views/lists/parts.hpp"

#include <algorithm>
#include <utility>

namespace leasehold {

namespace {

/// The first part has this size, a moment's work. Later ones are larger, each a quarter of all
/// before it, because queues of messages are short (kAnswersWaitingMax): a gigabyte is 44 parts.
constexpr size_t kPartLeast = 64 << 10;
constexpr size_t kOfAllBefore = 4;

}  // namespace

void Parts::add(ListedRow& row) {
  if (!empty()) text_ += ',';
  row.append_to(text_);
  if (!take_ || text_.size() < std::max(kPartLeast, taken_ / kOfAllBefore)) return;
  taken_ += text_.size();
  const size_t next = std::max(kPartLeast, taken_ / kOfAllBefore);
  take_(std::exchange(text_, {}));
  text_.reserve(next + next / 16);
}

std::string Parts::rest() {
  return std::move(text_) + ']';
}

}  // namespace leasehold
