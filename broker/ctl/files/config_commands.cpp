// check-config, import-lsf and import-ego: read files and print findings and text; no broker is
// asked.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "broker/config/ego/import.hpp"
#include "broker/config/load.hpp"
#include "broker/config/lsf/import.hpp"
#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/findings.hpp"
#include "common/text/printable.hpp"

namespace leasehold::ctl {

namespace {

std::string number_of(size_t count, const char* noun, const char* plural) {
  return std::to_string(count) + " " + (count == 1 ? noun : plural);
}

std::string summary(const Loaded& loaded, const std::string& file) {
  const size_t groups = loaded.plans.trees().size();
  return file + ": ok, " + number_of(loaded.core.clusters.size(), "cluster", "clusters") + ", " +
         number_of(loaded.core.policies.size(), "export policy", "export policies") +
         (groups == 0 ? "" : ", " + number_of(groups, "resource group", "resource groups")) +
         (loaded.warnings.empty()
              ? ""
              : ", " + number_of(loaded.warnings.size(), "warning", "warnings")) +
         "\n";
}

}  // namespace

int check_config(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  const Loaded loaded = leasehold::load_broker_config(line.subject, Pipes::allowed);
  Json json;
  json["file"] = line.subject;
  json["ok"] = loaded.ok();
  json["errors"] = findings_json(loaded.errors);
  json["warnings"] = findings_json(loaded.warnings);
  json["notes"] = findings_json(loaded.notes);
  print_findings(loaded.warnings, "warning");
  print_findings(loaded.notes, "note");
  if (!loaded.ok()) return report_all(loaded.errors, std::move(json), line.json);
  if (line.json) {
    print_json(json);
  } else {
    print(summary(loaded, line.subject));
  }
  return line.strict && !loaded.warnings.empty() ? 1 : 0;
}

namespace {

int print_imported(const CommandLine& line, const Imported& imported) {
  Json json;
  json["toml"] = imported.toml;
  json["report"] = imported.report;
  for (const std::string& entry : imported.report) print_error(entry);
  if (!imported.errors.empty()) {
    json["toml"] = nullptr;
    return report_all(imported.errors, std::move(json), line.json);
  }
  if (!line.output.empty()) {
    if (Status written = write_file(line.output, imported.toml); !written) {
      return report(written.error(), line.json);
    }
  }
  if (line.json) {
    print_json(json);
  } else if (line.output.empty()) {
    print(imported.toml);
  }
  return 0;
}

}  // namespace

int import_lsf(Invocation& invocation) {
  ImportOptions options;
  options.provider = invocation.line.provider;
  return print_imported(invocation.line, leasehold::import_lsf(invocation.line.files, options));
}

int import_ego(Invocation& invocation) {
  return print_imported(invocation.line, leasehold::import_ego(invocation.line.subject));
}

}  // namespace leasehold::ctl
