// Attention: what needs a person, and the whole site on one screen. It leaves out what ends by
// itself soon and what an operator ordered with an end. Both are functions of the state and of what
// a running broker knows of its agents. They do not tell what happened (history), nor why one lease
// is as it is (../explain).
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns [{"since","kind","subject","reason","detail","then","at","command"}], oldest first;
/// needs without a known beginning come last. `then` is what happens by itself at the instant `at`;
/// `command` is what an operator can do. Each is null where there is none.
Json view_attention(const State& state, const Liveness& liveness);

/// Returns one object: the mode, what operators ordered, which agents are silent and what follows
/// when, transfers and their age, breaches, totals, how old the readable tables are, and how many
/// needs there are.
Json view_status(const State& state, const Liveness& liveness);

}  // namespace leasehold
