#include "agent/core/limits/divide.hpp"

namespace leasehold::agent {

wire::Division divided_by(Divide word, wire::Division found) {
  using enum wire::Division;
  if (word == Divide::no) return is_indivisible(found) ? found : by_operator;
  return word == Divide::yes && found != divisible ? divisible_by_operator : found;
}

void divide_by(Divide word, View& view) {
  for (wire::HostFacts& host : view.hosts) host.division = divided_by(word, host.division);
  for (HostLoad& load : view.loads) load.division = divided_by(word, load.division);
}

}  // namespace leasehold::agent
