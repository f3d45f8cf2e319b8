#include "broker/ctl/plan/state.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "broker/ctl/plan/state_text.hpp"
#include "broker/rules/plan/check.hpp"

namespace leasehold::ctl {

namespace {

using Kind = PlacedJson::Kind;

class StateReader {
 public:
  StateReader(const std::string& file, const ResourcePlans& plans) : file_(file), plans_(plans) {
    for (const PlanTree& tree : plans.trees()) {
      PlanState state;
      state.leaves.resize(tree.nodes.size());
      states_.groups.push_back(std::move(state));
    }
  }

  PlanStates read(const PlacedJson& root) {
    if (!is_object(root, "the state", "{\"slots\": {…}, \"consumers\": {…}}")) return take();
    static const std::vector<std::string> kKeys{"time", "slots", "consumers"};
    each(root, kKeys, "the state", [&](const std::string& key, const PlacedJson& value) {
      if (key == "time") read_time(value);
      if (key == "slots") read_slots(value);
      if (key == "consumers") read_consumers(value);
    });
    if (states_.errors.empty()) judge();
    return take();
  }

 private:
  struct LeafPlaces {
    std::map<std::string, Place, std::less<>> keys;  // "demand", …
  };

  void error(Place place, std::string message) {
    states_.errors.push_back(
        {ErrorCode::usage, std::move(message), file_, place.line, place.column});
  }

  PlanStates take() {
    std::stable_sort(states_.errors.begin(), states_.errors.end(),
                     [](const Error& a, const Error& b) {
                       return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                     });
    return std::move(states_);
  }

  bool is_object(const PlacedJson& value, const std::string& what, const char* wanted) {
    if (value.kind == Kind::object) return true;
    error(value.place, what + " is " + words_of(value.kind) + "; write " + wanted);
    return false;
  }

  /// Reports keys that occur twice and, where `known` are given, unknown ones.
  template <class Take>
  void each(const PlacedJson& object, const std::vector<std::string>& known,
            const std::string& what, Take take) {
    std::set<std::string> seen;
    for (size_t i = 0; i < object.keys.size(); ++i) {
      const auto& [name, place] = object.keys[i];
      if (!seen.insert(name).second) {
        error(place, "'" + name + "' is written twice in " + what + "; write it once");
      } else if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
        error(place, "unknown key '" + name + "' in " + what + did_you_mean(name, known));
      } else {
        take(name, object.values[i]);
      }
    }
  }

  int64_t slots(const PlacedJson& value, const std::string& key) {
    if (value.kind != Kind::integer) {
      error(value.place,
            "'" + key + "' is " + words_of(value.kind) + "; write a whole number of slots");
      return 0;
    }
    if (value.integer >= 0 && value.integer <= kMostSlots) return value.integer;
    error(value.place, "'" + key + "' is " + std::to_string(value.integer) +
                           "; it must be from 0 to " + std::to_string(kMostSlots));
    return 0;
  }

  void read_time(const PlacedJson& value) {
    const char* wanted = "a time with its zone, as in \"2026-11-21T17:01:00Z\"";
    if (value.kind != Kind::text) {
      return error(value.place,
                   "'time' is " + std::string(words_of(value.kind)) + "; write " + wanted);
    }
    const bool absolute = !value.text.empty() && value.text[0] >= '0' && value.text[0] <= '9';
    const Result<Instant> time = parse_time(value.text, Instant{0});
    if (absolute && time) {
      states_.time = *time;
    } else {
      error(value.place,
            "'time': " + (absolute ? time.error().message
                                   : "\"" + value.text + "\" is no time; write " + wanted));
    }
  }

  void read_slots(const PlacedJson& value) {
    if (!is_object(value, "'slots'", "{\"GROUP\": 30}")) return;
    std::vector<std::string> names;
    for (const PlanTree& tree : plans_.trees()) names.push_back(tree.group->own.name);
    each(value, names, "'slots'", [&](const std::string& name, const PlacedJson& number) {
      const auto at = std::find(names.begin(), names.end(), name) - names.begin();
      states_.groups[static_cast<size_t>(at)].slots = slots(number, name);
    });
  }

  void read_consumers(const PlacedJson& value) {
    if (!is_object(value, "'consumers'", "{\"/PATH\": {\"demand\": 1, \"allocated\": 1}}")) return;
    size_t index = 0;
    each(value, {}, "'consumers'", [&](const std::string& path, const PlacedJson& leaf) {
      while (value.keys[index].value != path) ++index;  // the first one, if a path occurs twice
      read_consumer(path, value.keys[index].place, leaf);
    });
  }

  /// A path may be a leaf of several groups: the numbers count in each.
  void read_consumer(const std::string& path, Place place, const PlacedJson& value) {
    bool known = false;
    bool is_leaf = false;
    for (size_t group = 0; group < plans_.trees().size(); ++group) {
      const PlanTree& tree = plans_.trees()[group];
      const int32_t node = tree.find(path);
      if (node < 0) continue;
      known = true;
      if (!tree.nodes[static_cast<size_t>(node)].is_leaf) continue;
      is_leaf = true;
      read_leaf(group, static_cast<uint32_t>(node), value);
    }
    if (is_leaf) return;
    error(place,
          known ? "'" + path + "' is a parent; name its leaves, whose sum it is"
                : "consumer '" + path + "' is not in the plan" + did_you_mean(path, all_paths()));
  }

  std::vector<std::string> all_paths() const {
    std::vector<std::string> paths;
    for (const PlanTree& tree : plans_.trees()) {
      for (const PlanNode& node : tree.nodes) paths.push_back(node.path);
    }
    return paths;
  }

  void read_leaf(size_t group, uint32_t node, const PlacedJson& value) {
    const std::string& path = plans_.trees()[group].nodes[node].path;
    const std::string what = "'" + path + "'";
    if (!is_object(value, what, "{\"demand\": 1, \"allocated\": 1}")) return;
    static const std::vector<std::string> kKeys{"demand", "allocated", "shared", "borrowed"};
    LeafState& leaf = states_.groups[group].leaves[node];
    LeafPlaces& places = places_[{group, node}];
    places.keys["path"] = value.place;
    each(value, kKeys, what, [&](const std::string& key, const PlacedJson& number) {
      places.keys[key] = number.place;
      if (key == "demand") leaf.demand = slots(number, key);
      if (key == "allocated") leaf.allocated = slots(number, key);
      if (key == "shared") leaf.shared = slots(number, key);
      if (key == "borrowed") leaf.borrowed = read_loans(group, number);
    });
  }

  std::vector<Loan> read_loans(size_t group, const PlacedJson& value) {
    std::vector<Loan> loans;
    if (!is_object(value, "'borrowed'", "{\"/LENDER\": 1}")) return loans;
    const PlanTree& tree = plans_.trees()[group];
    each(value, {}, "'borrowed'", [&](const std::string& path, const PlacedJson& number) {
      const int32_t lender = tree.find(path);
      const int64_t lent = slots(number, path);
      if (lender < 0) {
        error(number.place, "lender '" + path + "' is not in resource group '" +
                                tree.group->own.name + "'" + did_you_mean(path, all_paths()));
      } else if (!tree.nodes[static_cast<size_t>(lender)].is_leaf) {
        error(number.place, "lender '" + path + "' is a parent; only leaves lend");
      } else {
        loans.push_back({static_cast<uint32_t>(lender), lent});
      }
    });
    return loans;
  }

  /// Checks the numbers by the rules, and reports faults with their places in the file.
  void judge() {
    for (size_t group = 0; group < states_.groups.size(); ++group) {
      const Plan plan = plans_.in_force(group, states_.time);
      if (!plan.slots && !states_.groups[group].slots) {
        error({}, "how many slots has resource group '" + plan.name +
                      "'? It has no 'slots' of its own; write \"slots\": {\"" + plan.name +
                      "\": 30}");
      }
      for (const PlanFault& fault : check_plan_state(plan, states_.groups[group])) {
        if (fault.error) error(place_of(group, fault), fault.message);
      }
    }
  }

  Place place_of(size_t group, const PlanFault& fault) const {
    const auto leaf = places_.find({group, fault.consumer});
    if (leaf == places_.end()) return {};
    const auto& keys = leaf->second.keys;
    const auto place = keys.find(fault.key);
    return place == keys.end() ? keys.find("path")->second : place->second;
  }

  const std::string& file_;
  const ResourcePlans& plans_;
  PlanStates states_;
  std::map<std::pair<size_t, uint32_t>, LeafPlaces> places_;
};

}  // namespace

PlanStates read_plan_states(std::string_view text, const std::string& file,
                            const ResourcePlans& plans) {
  const Result<PlacedJson> root = parse_placed_json(text, file);
  if (root) return StateReader(file, plans).read(*root);
  PlanStates states;
  states.errors.push_back(root.error());
  return states;
}

}  // namespace leasehold::ctl
