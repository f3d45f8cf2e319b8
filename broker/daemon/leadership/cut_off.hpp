// CutOff decides whether a leader that no agent reaches gives its lead to a broker that agents come
// to. Left alone it would lead for ever, as long as it reaches the database. Pure: time comes in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leasehold {

/// A broker that stands by, as its row said a moment ago.
struct ComeTo {
  std::string name;
  int64_t agents = 0;  // that come to it though it does not lead
  bool may_lead = true;
};

class CutOff {
 public:
  /// The broker leads from now on; no agent has reached it yet.
  void leads(int64_t now_ms) { silent_since_ms_ = now_ms; }
  /// The broker to step down for, "" for none: the one with the most agents, of equal ones the
  /// first by name. Two that no agent reaches do not pass the lead to and fro: each waits
  /// `agent_timeout_ms` at first, twice as long after each time in vain, up to an hour.
  std::string gives_to(int64_t now_ms, bool hears, int64_t agent_timeout_ms,
                       const std::vector<ComeTo>& others);
  /// The broker stepped down for gives_to().
  void gave();
  int64_t silent_ms(int64_t now_ms) const { return now_ms - silent_since_ms_; }

 private:
  int64_t silent_since_ms_ = 0;
  int64_t in_vain_ = 0;  // times that it stepped down since an agent reached it
};

}  // namespace leasehold
