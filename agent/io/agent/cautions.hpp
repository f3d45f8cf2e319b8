// Cautions: what the agent tells people through its hellos: what works, but not as one may think,
// of its file and of its workload manager. leasectl doctor shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// A broker keeps no more of an agent.
inline constexpr size_t kCautionsMost = 16;
inline constexpr size_t kCautionColumnsMost = 600;

/// Adds a sentence about hosts that are lent by the slot because nobody says whether they may be
/// split.
void add_unsaid(const View& view, std::vector<std::string>& cautions);

/// Returns each sentence once, printable and cut to kCautionColumnsMost. If there are too many, the
/// last one says how many are left out.
std::vector<std::string> told_cautions(const std::vector<std::string>& all);

class Cautions {
 public:
  /// `of_file` are those of the agent's file. `workload` outlives it.
  Cautions(Workload& workload, std::vector<std::string> of_file, bool names_hosts)
      : workload_(workload), of_file_(std::move(of_file)), names_hosts_(names_hosts) {}

  /// Asks the adapter after a good look, at most once a minute.
  void look(const View& view, int64_t now_ms);
  /// Returns them for a hello, which tells them; nullopt: there are none.
  std::optional<std::vector<std::string>> tell(int64_t now_ms);
  /// True if they have changed since a hello told them, which is long enough ago: a hello makes the
  /// broker send all orders again.
  bool due(int64_t now_ms) const;

 private:
  Workload& workload_;
  std::vector<std::string> of_file_;
  bool names_hosts_;
  std::vector<std::string> now_;
  std::vector<std::string> told_;
  int64_t looked_ms_ = INT64_MIN;
  int64_t told_ms_ = INT64_MIN;
};

}  // namespace leasehold::agent
