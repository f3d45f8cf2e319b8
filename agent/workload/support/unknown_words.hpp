// UnknownWords: what a workload manager said that this program does not know: a state, a status, a
// form. It makes the host that it is about not up, and never the whole cluster blind; people are
// told, once in the log and as long as it stands in `lease-agent --probe`.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/log.hpp"

namespace leasehold::agent {

class UnknownWords {
 public:
  /// A look begins: what it does not say again does not stand any more.
  void begin() { now_.clear(); }
  void see(const std::string& sentence) {
    if (sentence.empty()) return;
    if (now_.size() < kToldMost) now_.insert(sentence);
    if (told_.size() < kToldMost && told_.insert(sentence).second)
      log_warn("not-understood", {{"what", sentence}});
  }
  void see(const std::vector<std::string>& sentences) {
    for (const std::string& one : sentences) see(one);
  }
  /// For Workload::cautions().
  void add_to(std::vector<std::string>& cautions) const {
    cautions.insert(cautions.end(), now_.begin(), now_.end());
  }

 private:
  static constexpr size_t kToldMost = 1'000;
  std::set<std::string> now_;
  std::set<std::string> told_;
};

}  // namespace leasehold::agent
