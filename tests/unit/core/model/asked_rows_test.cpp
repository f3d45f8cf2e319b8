// Transfers ask something of many rows: it is found once for all, and compared with row by row.
#include "broker/core/model/queries/asked_rows.hpp"

#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"

using namespace leasehold;

namespace {

Transfer transfer_of(uint64_t id, wire::Lowering lowering, TransferStep step, Wanted wanted) {
  Transfer transfer;
  transfer.id = id;
  transfer.from = kConsumer;
  transfer.to = kProvider;
  transfer.lowering = lowering;
  transfer.step = step;
  transfer.wanted = std::move(wanted);
  return transfer;
}

SlotGroup group_of(uint32_t rows) {
  SlotGroup group;
  group.members.resize(2);
  group.hosts.resize(rows);
  group.holdings.resize(size_t{rows} * 2);
  return group;
}

}  // namespace

TEST_CASE("what is asked of a row is the same in a group of few hosts and of many") {
  for (const uint32_t rows : {3U, 30U}) {
    SlotGroup group = group_of(rows);
    CHECK(AskedRows(group, kConsumer).wanted(0) == 0);
    using enum wire::Lowering;
    using enum TransferStep;
    group.transfers.push_back(transfer_of(1, release, granting, {{0, 9}, {1, 9}}));
    group.transfers.push_back(transfer_of(2, reclaim, releasing, {{2, 4}, {0, 1}}));
    group.transfers.push_back(transfer_of(3, shrink, releasing, {{0, 2}, {1, 0}}));
    group.transfers.back().reason = Reason::owner_waits;
    const AskedRows asked(group, kConsumer);
    for (uint32_t row = 0; row < rows; ++row) {
      CHECK(asked.at(row).wanted == wanted_from(group, kConsumer, row));
      CHECK(asked.at(row).nominated == wanted_by(group, kConsumer, row, reclaim));
    }
    CHECK(asked.at(0).for_owner == 2);
    CHECK(asked.at(2).for_owner == 0);
    CHECK(asked.at(0).first == reclaim);
    CHECK(asked.at(0).first_but_reclaims == shrink);
    CHECK_FALSE(asked.at(1).first);  // it wants nothing more of that row
    CHECK(asked.at(2).first == reclaim);
    CHECK_FALSE(asked.at(2).first_but_reclaims);
    CHECK(AskedRows(group, kProvider).wanted(0) == 0);
  }
}
