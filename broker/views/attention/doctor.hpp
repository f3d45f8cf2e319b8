// Doctor: what contradicts what, in names, keys, clocks, versions and fences, as the broker knows
// them, each with its mend. What holds is said too, so that one sees what was looked at. Not what
// needs a person at this moment (attention.hpp); not the machine's disk and rights: who runs on
// it adds those (broker/daemon/machine_findings.hpp).
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"
#include "broker/views/liveness.hpp"
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

/// {"check","status","subject","finding","mend"}: of what is wrong, with what to do.
Json finding_json(Checked check, const std::string& subject, const std::string& finding,
                  const std::string& mend);
/// The same of what works, and not as one may think: status "caution".
Json caution_json(Checked check, const std::string& subject, const std::string& finding,
                  const std::string& mend);
/// The same of what holds: status "ok", no mend.
Json sound_json(Checked check, const std::string& finding);

/// A row each: what is wrong, and for each kind of check without any, that it holds. Of a record
/// clocks have no row, and the others say what is not judged there.
Json view_doctor(const State& state, const Liveness& liveness);
/// Some row is a fault.
bool finds_fault(const Json& findings);

}  // namespace leasehold
