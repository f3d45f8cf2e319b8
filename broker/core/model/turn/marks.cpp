#include "broker/core/model/turn/marks.hpp"

#include <algorithm>
#include <utility>

namespace leasehold {

std::vector<Mark> Marks::take() {
  std::vector<Mark> marks = std::exchange(marks_, {});
  const auto before = [](const Mark& a, const Mark& b) { return a.group < b.group; };
  if (!std::is_sorted(marks.begin(), marks.end(), before)) {
    std::sort(marks.begin(), marks.end(), before);
  }
  size_t taken = 0;
  for (const Mark& mark : marks) {
    if (taken > 0 && marks[taken - 1].group == mark.group) {
      marks[taken - 1].causes |= mark.causes;
    } else {
      marks[taken++] = mark;
    }
  }
  marks.resize(taken);
  return marks;
}

}  // namespace leasehold
