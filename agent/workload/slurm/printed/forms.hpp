// These are the forms in which versions of Slurm write jobs as JSON, by the name that the output
// gives itself. They say which one to ask for. units.hpp reads them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace leasehold::agent {

struct SlurmForm {
  std::string_view name;
  bool as_objects = false;       // states are lists, numbers {"set","infinite","number"}
  bool nodes_allocated = false;  // job_resources.nodes.allocation[], not .allocated_nodes[]
  bool tells_sharing = true;     // which jobs have hosts for themselves, or share cores
};

/// Returns nullptr if the form is not known.
const SlurmForm* find_slurm_form(std::string_view name);

/// Returns the form's name from the output itself, as "v0.0.42"; "" if the output does not name it.
std::string slurm_form_named(const nlohmann::json& output);

/// Returns the form to ask for, from the output of `squeue --json=list`, which is useful from 23.02
/// on; "" means the form that Slurm prints unasked.
std::string slurm_form_to_ask(std::string_view listed);

/// Returns the names of all known forms: "v0.0.38, v0.0.40, …".
std::string known_slurm_forms();

}  // namespace leasehold::agent
