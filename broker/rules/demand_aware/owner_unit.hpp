// One waiting job of the owner and the lent slots that it lacks. They come back as the work on them
// ends, and nothing else starts on them meanwhile. Without this a wide job starves: the owner's
// manager sees lent slots as gone and starts small jobs instead, and a consumer with a full queue
// never lets any of them lie idle. Pure; which job it is and how slots come back is
// broker/core/lease/owner_work.hpp.
#pragma once

#include <span>
#include <vector>

#include "broker/rules/demand_aware/shapes.hpp"

namespace leasehold::demand_aware {

struct OwnerNeed {
  bool starts = false;   // once all that is below is the owner's
  bool has_all = false;  // it starts, and all of it is the owner's already
  /// The total that the borrower gives up of each row: what is asked from it for this job already
  /// (IdleRow::on_way), and more if that is not enough. It is as few as the job lacks.
  std::vector<RowSlots> lent;
  /// Idle slots of the owner that the job needs beside those: nobody else is to have them.
  std::vector<RowSlots> kept;
};

/// `elsewhere`: idle slots of the owner outside of the rows, a number a host.
OwnerNeed owner_need(const Waiting& job, std::span<const IdleRow> rows,
                     std::span<const int32_t> elsewhere);

}  // namespace leasehold::demand_aware
