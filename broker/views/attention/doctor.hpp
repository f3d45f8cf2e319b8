// Doctor: contradictions in names, keys, clocks, versions and fences, as far as the broker knows
// them, each with what to do about it. It also says what it found in order, so that one sees what
// was checked. It does not say what needs a person at this moment (attention.hpp). The disk and the
// rights of the machine are checked by the daemon (broker/daemon/machine_findings.hpp).
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class Checked : uint8_t {
  broker,
  names,
  keys,
  clocks,
  versions,
  fences,
  cautions,
  rights,
  disk,
  history,
};
constexpr auto tokens_of(Checked) {
  using enum Checked;
  return tokens<Checked>({{broker, "broker"},
                          {names, "names"},
                          {keys, "keys"},
                          {clocks, "clocks"},
                          {versions, "versions"},
                          {fences, "fences"},
                          {cautions, "cautions"},
                          {rights, "rights"},
                          {disk, "disk"},
                          {history, "history"}});
}

/// Returns {"check","status","subject","finding","mend"} for a fault; `mend` is what to do about
/// it.
Json finding_json(Checked check, const std::string& subject, const std::string& finding,
                  const std::string& remedy);
/// Returns the same for something that works, but not as one may expect: status "caution".
Json caution_json(Checked check, const std::string& subject, const std::string& finding,
                  const std::string& remedy);
/// Returns the same for a check without a finding: status "ok", `mend` null.
Json sound_json(Checked check, const std::string& finding);

/// Returns a row for each fault, and one for each kind of check without any. For a database file
/// clocks and cautions have no row; names and keys say what is not judged there.
Json view_doctor(const State& state, const Liveness& liveness);
/// True if a row is a fault.
bool finds_fault(const Json& findings);

}  // namespace leasehold
