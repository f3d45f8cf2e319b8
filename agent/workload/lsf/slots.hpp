// LsfSlots: the administrator's job slots (MXJ) of each host that is fenced now, so that they can
// be restored: LSF keeps only the present number. It is durable, in a file beside the journal. The
// fences and what they were made from are elsewhere (support/cap_journal.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

class LsfSlots {
 public:
  using Hosts = std::map<std::string, int32_t>;

  /// Opens the file; a missing one is empty. `read_only`: put() is refused.
  static Result<LsfSlots> open(const std::string& path, bool read_only);
  std::optional<int32_t> find(const std::string& host) const;
  const Hosts& hosts() const { return hosts_; }
  const std::string& path() const { return path_; }
  /// Writes the slots; unchanged ones write nothing.
  Status put(Hosts hosts);

 private:
  std::string path_;
  bool read_only_ = false;
  Hosts hosts_;
};

}  // namespace leasehold::agent
