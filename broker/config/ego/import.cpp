#include "broker/config/ego/import.hpp"

#include <algorithm>

#include "broker/config/ego/trees.hpp"
#include "broker/config/load.hpp"

namespace leasehold {

namespace {

/// A name in a comment of the TOML must not end the comment, nor make the file no UTF-8.
std::string shown(std::string file) {
  std::replace_if(
      file.begin(), file.end(),
      [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f;
      },
      '?');
  return file;
}

std::vector<std::string> report_of(std::vector<Error> notes) {
  std::stable_sort(notes.begin(), notes.end(),
                   [](const Error& a, const Error& b) { return a.line < b.line; });
  std::vector<std::string> report;
  for (const Error& note : notes) report.push_back(describe(note));
  return report;
}

/// Returns the plan's own contradictions as errors of `file`, each with its line of the TOML.
std::vector<Error> contradictions(const Loaded& loaded, const std::string& file) {
  std::vector<Error> errors;
  for (const Error& error : loaded.errors) {
    errors.push_back({ErrorCode::usage,
                      "the plan contradicts itself: " + error.message + " (line " +
                          std::to_string(error.line) + " of the TOML)",
                      file, 0, 0});
  }
  return errors;
}

}  // namespace

Imported import_ego_text(const std::string& text, const std::string& file) {
  Findings findings;
  const std::string name = shown(file);
  const ego::File trees = ego::read_trees(text, name, findings);
  if (findings.errors.empty() && trees.trees.empty()) {
    findings.error({name, {}}, "has no <DistributionTree> with a <ResourceGroupName>: no plan");
  }
  if (!findings.errors.empty()) return {"", {}, std::move(findings.errors)};
  Imported imported;
  imported.toml = ego::toml_of(trees, name, findings);
  imported.report = report_of(std::move(findings.notes));
  const Loaded loaded = parse_broker_config(imported.toml, "imported.toml");
  imported.errors = contradictions(loaded, name);
  for (const Error& warning : loaded.warnings) {
    imported.report.push_back(name + ": warning: " + warning.message);
  }
  return imported;
}

namespace {

constexpr size_t kTreesBytesMax = size_t{16} << 20;  // consumer trees of hundreds of thousands

}  // namespace

Imported import_ego(const std::string& file) {
  const Result<std::string> text = read_text_file(file, kTreesBytesMax, Pipes::allowed);
  if (text) return import_ego_text(*text, file);
  return {"", {}, {text.error()}};
}

}  // namespace leasehold
