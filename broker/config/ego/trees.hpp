// The content of ConsumerTrees.xml as values: for import.cpp only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "broker/config/draft.hpp"

namespace leasehold::ego {

struct Consumer {
  std::string path;
  bool is_leaf = true;
  std::vector<std::pair<std::string, std::string>> settings;  // key and value of TOML
  int line = 0;
};

/// One consumer's policy in one interval.
struct Policy {
  std::string consumer;                         // its path
  std::string type;                             // ownership | share | hybrid; "": as its branch
  std::map<std::string, std::string> settings;  // key and value of TOML
  int line = 0;
};

struct Interval {
  int from_min = 0;
  int to_min = 1440;
  std::vector<Policy> policies;
  int line = 0;
  bool whole_day() const { return from_min % 1440 == to_min % 1440; }
};

/// DistributionTree: the plan of one resource group.
struct Tree {
  std::string group;
  std::string placement = "stacked";
  std::vector<Interval> intervals;
  int line = 0;
};

struct File {
  std::vector<Consumer> consumers;  // ConsumerHierarchy, parents before their children
  std::vector<Tree> trees;
};

/// Errors: it is not XML, or holds no such section. Notes: everything that was not understood.
File read_trees(const std::string& text, const std::string& file, Findings& findings);

/// Writes the TOML of a file; adds notes where EGO and TOML say things differently.
std::string toml_of(const File& trees, const std::string& file, Findings& findings);

}  // namespace leasehold::ego
