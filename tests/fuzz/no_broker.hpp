// Stands in for the broker, the databases and the terminal of leasectl: answers come from a list.
#pragma once

#include <string>
#include <vector>

namespace leasehold::fuzz {

/// Sets what the next questions are answered with, in order; later ones get no answer. `columns`:
/// the terminal's width, 0 for none.
void set_answers(std::vector<std::string> answers, size_t columns);

}  // namespace leasehold::fuzz
