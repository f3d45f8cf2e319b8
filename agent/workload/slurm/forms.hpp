// The forms in which versions of Slurm write jobs as JSON, by the name that the output gives
// itself, and which one to ask for. Pure: text in, values out. What is read from a form is
// units.hpp.
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

/// nullptr: it is not known.
const SlurmForm* find_slurm_form(std::string_view name);

/// What the output calls its form, as "v0.0.42"; "": it does not say.
std::string slurm_form_named(const nlohmann::json& output);

/// Of what `squeue --json=list` printed, which is nothing useful before 23.02: the form to ask for;
/// "": the one that Slurm prints unasked.
std::string slurm_form_to_ask(std::string_view listed);

/// "v0.0.38, v0.0.40, …": all that are known.
std::string known_slurm_forms();

}  // namespace leasehold::agent
