// UnknownWords: what a workload manager said that this program does not know: a state, a status, a
// form. The host that it is about is not up, but the rest of the cluster can still be seen. It is
// reported once in the log, and in `lease-agent --probe` as long as it lasts.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/log.hpp"

namespace leasehold::agent {

class UnknownWords {
 public:
  /// At most so many are kept, the first ones seen; the others are counted.
  static constexpr size_t kKeptMost = 100;

  /// Begins a look: what it does not say again is dropped.
  void begin() {
    now_.clear();
    left_out_ = 0;
  }
  void see(const std::string& sentence) {
    if (sentence.empty()) return;
    const bool room = now_.size() < kKeptMost || now_.contains(sentence);
    room ? keep(sentence) : count();
  }
  /// One of this program's own sentences, of which there are few, is always kept.
  void see(const char* sentence) { keep(sentence); }
  void see(const std::vector<std::string>& sentences) {
    for (const std::string& one : sentences) see(one);
  }
  /// Adds the sentences for Workload::cautions().
  void add_to(std::vector<std::string>& cautions) const {
    cautions.insert(cautions.end(), now_.begin(), now_.end());
    if (left_out_ > 0) {
      cautions.push_back(std::to_string(left_out_) +
                         " more things are not understood and not shown");
    }
  }

 private:
  void keep(const std::string& sentence) {
    now_.insert(sentence);
    const bool fresh = logged_.size() < kLoggedMost && logged_.insert(sentence).second;
    if (fresh) {
      log_warn(
          "output-not-understood",
          {{"why", sentence},
           {"then", "unless it says otherwise, the host or job is left out, the rest counts"}});
    }
  }
  void count() {
    if (left_out_++ > 0 || std::exchange(more_logged_, true)) return;
    log_warn("output-not-understood", {{"why", "more texts were not understood than are logged"},
                                       {"do", "lease-agent --probe counts the rest"}});
  }

  static constexpr size_t kLoggedMost = 1'000;  // while the agent runs
  std::set<std::string> now_;
  int64_t left_out_ = 0;  // of this look
  std::set<std::string> logged_;
  bool more_logged_ = false;
};

}  // namespace leasehold::agent
