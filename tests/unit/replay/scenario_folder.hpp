// A scenario of `simulate` and its traces for a test, in a folder of their own.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "broker/lab/simulate/simulate.hpp"

namespace leasehold {

/// A folder with a scenario and its traces, removed at the end of the test.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "simulate-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

/// Returns the outcomes of a scenario's first run.
inline Result<std::vector<RuleOutcome>> simulate(const SimulateOptions& options) {
  Result<Simulation> simulation = simulate_all(options);
  if (!simulation) return tl::unexpected(simulation.error());
  return std::move(simulation->runs.front());
}

/// Returns `count` jobs of one submit time.
inline std::string lines(int count, int64_t submit, int64_t run, int width) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "1 " + std::to_string(submit) + " -1 " + std::to_string(run) + " " +
            std::to_string(width) + "\n";
  }
  return text;
}

}  // namespace leasehold
