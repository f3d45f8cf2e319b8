#include "broker/core/model/slots/transfer.hpp"

#include <array>

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

bool follows_cap(Reason reason) {
  constexpr std::array kOfCaps{Reason::draining,         Reason::cluster_draining,
                               Reason::host_down,        Reason::host_reserved,
                               Reason::host_indivisible, Reason::operator_order};
  return std::find(kOfCaps.begin(), kOfCaps.end(), reason) != kOfCaps.end();
}

Transfers::Transfers(const Transfers& other) {
  if (other.empty()) return;
  open_ = std::make_unique<Open>();
  open_->list.reserve(other.size());
  for (const Transfer& each : other) open_->list.push_back(std::make_unique<Transfer>(each));
  if (other.open_->by_from) index();
}

void Transfers::index() {
  open_->by_from = std::make_unique<ByFrom>();
  for (Transfer& transfer : *this) (*open_->by_from)[transfer.from].push_back(&transfer);
}

Transfer& Transfers::push_back(Transfer transfer) {
  if (!open_) open_ = std::make_unique<Open>();
  Transfer& added = *open_->list.emplace_back(std::make_unique<Transfer>(std::move(transfer)));
  if (open_->by_from) {
    (*open_->by_from)[added.from].push_back(&added);
  } else if (open_->list.size() > kFew) {
    index();
  }
  return added;
}

Transfers::List::iterator Transfers::place_of(uint64_t id) {
  List& list = open_->list;
  const auto place =
      std::lower_bound(list.begin(), list.end(), id,
                       [](const auto& open, uint64_t wanted) { return open->id < wanted; });
  return place != list.end() && (*place)->id == id ? place : list.end();
}

Transfer* Transfers::find(uint64_t id) {
  if (!open_) return nullptr;
  const auto place = place_of(id);
  return place == open_->list.end() ? nullptr : place->get();
}

void Transfers::erase(uint64_t id) {
  if (!open_) return;
  const auto place = place_of(id);
  if (place == open_->list.end()) return;
  if (ByFrom* by_from = open_->by_from.get()) {
    const auto known = by_from->find((*place)->from);
    std::erase(known->second, place->get());
    if (known->second.empty()) by_from->erase(known);
  }
  open_->list.erase(place);
  if (open_->list.empty()) clear();  // most leases have none most of the time: a million of them
}

}  // namespace leasehold
