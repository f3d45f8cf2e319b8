// Attention: what needs a person, and the site on one screen. What ends by itself soon, and what
// an operator ordered with an end, is none of it. Functions of the state and of what a running
// broker knows of its agents; not what happened (history), nor why one lease is as it is
// (../explain).
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"
#include "broker/views/liveness.hpp"

namespace leasehold {

/// [{"since","kind","subject","reason","detail","then","at","command"}], oldest first; those whose
/// beginning nobody knows come last. `then`: what happens by itself, `at` that instant; `command`:
/// what helps. null: none.
Json view_attention(const State& state, const Liveness& liveness);

/// One object: mode, what operators ordered, who is silent and what happens when, transfers and
/// their age, breaches, totals, and how much needs a person.
Json view_status(const State& state, const Liveness& liveness);

}  // namespace leasehold
