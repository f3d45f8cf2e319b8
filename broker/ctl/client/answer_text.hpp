// Reads the text that a broker answers with (schema/json/README.md).
#pragma once

#include <optional>
#include <string>

#include "broker/views/clusters/leader_view.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

/// Returns the result in the answer, or the error that it contains or that came in its place.
/// `nobody` is set where the answer says that nobody leads. `version`: it is no answer of a broker.
Result<Json> read_answer(const Result<std::string>& answer, std::optional<NobodyLeads>& nobody);
/// Returns the result as text, as it was received where that is possible.
Result<std::string> read_answer_text(const Result<std::string>& answer,
                                     std::optional<NobodyLeads>& nobody);

}  // namespace leasehold::ctl
