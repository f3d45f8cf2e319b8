#include "broker/core/model/marks.hpp"

#include <algorithm>
#include <utility>

namespace leasehold {

std::vector<Mark> Marks::take() {
  std::vector<Mark> marks = std::exchange(marks_, {});
  const auto before = [](const Mark& a, const Mark& b) { return a.group < b.group; };
  if (!std::is_sorted(marks.begin(), marks.end(), before)) {
    std::sort(marks.begin(), marks.end(), before);
  }
  std::vector<Mark> each;
  for (const Mark& mark : marks) {
    if (!each.empty() && each.back().group == mark.group) {
      each.back().take_in(mark);
    } else {
      each.push_back(mark);
    }
  }
  return each;
}

}  // namespace leasehold
