// Cautions are sentences about the agent's file and its workload manager: settings that work, but
// otherwise than an administrator may expect. Hellos carry them, and leasectl doctor shows them.
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
std::vector<std::string> reported_cautions(const std::vector<std::string>& all);

class Cautions {
 public:
  /// `of_file` are those of the agent's file. `workload` outlives it.
  Cautions(Workload& workload, std::vector<std::string> of_file, bool needs_host_names)
      : workload_(workload), of_file_(std::move(of_file)), needs_host_names_(needs_host_names) {}

  /// Asks the adapter after a good look, at most once a minute.
  void look(const View& view, int64_t now_ms);
  /// Returns them for a hello, and notes that they are reported; nullopt: there are none.
  std::optional<std::vector<std::string>> take_for_hello(int64_t now_ms);
  /// True if they have changed since a hello reported them, which is long enough ago: a hello makes
  /// the broker send all orders again.
  bool need_hello(int64_t now_ms) const;

 private:
  Workload& workload_;
  std::vector<std::string> of_file_;
  bool needs_host_names_;
  std::vector<std::string> now_;
  std::vector<std::string> reported_;
  int64_t looked_ms_ = INT64_MIN;
  int64_t reported_ms_ = INT64_MIN;
};

}  // namespace leasehold::agent
