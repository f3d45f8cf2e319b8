#include "broker/core/model/transfer.hpp"

namespace leasehold {

namespace {

/// A list of so few is looked through as soon as anything is found otherwise.
constexpr size_t kFew = 8;

}  // namespace

bool has_all_it_wants(const Transfer& transfer) {
  const auto missing = [](const auto& entry) { return entry.second > 0; };
  return transfer.step == TransferStep::releasing &&
         std::none_of(transfer.wanted.begin(), transfer.wanted.end(), missing);
}

Transfers::Transfers(const Transfers& other) {
  open_.reserve(other.size());
  for (const Transfer& transfer : other) open_.push_back(std::make_unique<Transfer>(transfer));
  if (other.by_from_) index();
}

void Transfers::index() {
  ByFrom& by_from = by_from_.emplace();
  for (Transfer& transfer : *this) by_from[transfer.from].push_back(&transfer);
}

Transfer& Transfers::push_back(Transfer transfer) {
  Transfer& added = *open_.emplace_back(std::make_unique<Transfer>(std::move(transfer)));
  if (by_from_) {
    (*by_from_)[added.from].push_back(&added);
  } else if (open_.size() > kFew) {
    index();
  }
  return added;
}

Transfers::List::iterator Transfers::place_of(uint64_t id) {
  const auto place =
      std::lower_bound(open_.begin(), open_.end(), id,
                       [](const auto& open, uint64_t wanted) { return open->id < wanted; });
  return place != open_.end() && (*place)->id == id ? place : open_.end();
}

Transfer* Transfers::find(uint64_t id) {
  const auto place = place_of(id);
  return place == open_.end() ? nullptr : place->get();
}

void Transfers::erase(uint64_t id) {
  const auto place = place_of(id);
  if (place == open_.end()) return;
  if (by_from_) {
    const auto known = by_from_->find((*place)->from);
    std::erase(known->second, place->get());
    if (known->second.empty()) by_from_->erase(known);
  }
  open_.erase(place);
  if (open_.empty()) clear();  // most leases have none most of the time: a million of them
}

}  // namespace leasehold
