// Fences: what an agent may believe of the caps that its workload manager has. A cap that was asked
// for binds when its `delay_ms` are over and a later look has shown it; until then no slot that it
// should hold back may be counted as given up (schema/wire/PROTOCOL.md, "Orders"). Caps are raised
// only by an agent that cannot have been given up. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/limits/cap.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

class Fences {
 public:
  /// Notes that these caps were asked for; they bind after `delay_ms`. A cap that is asked for
  /// again because a look found more open binds when it did before; seen() tells what came of it.
  /// `done`: none of the call failed.
  void asked(const std::vector<HostCap>& caps, int64_t now_ms, int64_t delay_ms, bool done = true);
  /// Takes the caps that a look found. Where a cap falls step by step, as work ends, each step
  /// binds `delay_ms` after it was seen, whatever the later steps do.
  void seen(const std::vector<HostCap>& found, int64_t now_ms, int64_t delay_ms);
  /// Returns when the last cap asked for on this host binds; INT64_MIN: it binds already.
  int64_t binds_at_ms(const std::string& host, int64_t now_ms) const;
  /// Returns when all caps asked for bind; INT64_MIN: they bind already.
  int64_t all_bind_at_ms(int64_t now_ms) const;
  /// Returns the hosts of which more may be open than looks show: what closes them does not bind
  /// yet.
  std::set<std::string> closing(int64_t now_ms) const;
  /// Returns the slots that the host's cap, as looks found it, lets through beyond what is wanted;
  /// nullopt: `delay_ms` are not over, and the look proves nothing.
  std::optional<int32_t> beyond(const std::string& host, const std::vector<HostCap>& wanted,
                                const std::vector<HostCap>& found, int64_t now_ms) const;
  /// True if the host's cap binds and is no higher than wanted.
  bool stands(const std::string& host, const std::vector<HostCap>& wanted,
              const std::vector<HostCap>& found, int64_t now_ms) const;

 private:
  /// So much was open before a cap fell, and counts as open until then.
  struct Step {
    int64_t until_ms = 0;
    int32_t open = 0;
  };
  struct Asked {
    int32_t wanted = 0;
    bool imported = false;
    int64_t binds_at_ms = INT64_MIN;
    bool done = true;
    /// Open at the last look, if that was more than wanted.
    std::optional<int32_t> open_still = std::nullopt;
    std::vector<Step> steps = {};
  };
  int32_t counted_open(const std::string& host, int64_t now_ms) const;

  std::map<std::string, Asked> asked_;
};

/// Returns those of the changes that close slots. They keep the parts that were found: another
/// agent may have made them, and knows of groups that this one does not. `found`: the caps in
/// force.
std::vector<HostCap> without_raises(std::vector<HostCap> changes, const std::vector<HostCap>& found,
                                    const std::vector<wire::HostFacts>& own_hosts);

}  // namespace leasehold::agent
