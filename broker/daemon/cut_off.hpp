// CutOff: whether a leader that hears no agent gives its lead to a broker that agents come to. By
// itself it would lead for ever, with a good line to the database. Pure: time comes in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leasehold {

/// A broker that stands by, by what it told a moment ago.
struct ComeTo {
  std::string name;
  int64_t agents = 0;  // that come to it though it does not lead
  bool may_lead = true;
};

class CutOff {
 public:
  /// It leads from now on, and has heard nobody yet.
  void leads(int64_t now_ms) { silent_since_ms_ = now_ms; }
  /// Whom it is to step down for: by the most agents, of equal ones by name; "": nobody. Two that
  /// both hear nobody do not give the lead to and fro: each waits `agent_timeout_ms` at first,
  /// twice as long after each time that helped nobody, up to an hour.
  std::string gives_to(int64_t now_ms, bool hears, int64_t agent_timeout_ms,
                       const std::vector<ComeTo>& others);
  /// It stepped down for that.
  void gave();
  int64_t silent_ms(int64_t now_ms) const { return now_ms - silent_since_ms_; }

 private:
  int64_t silent_since_ms_ = 0;
  int64_t in_vain_ = 0;  // times that it stepped down since it heard anybody
};

}  // namespace leasehold
