// check-config and import-lsf: files in, findings and text out; no broker is asked.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "broker/config/import_lsf.hpp"
#include "broker/config/load.hpp"
#include "broker/ctl/commands.hpp"
#include "broker/views/queries.hpp"

namespace leasehold::ctl {

namespace {

Json findings_json(const std::vector<Error>& findings) {
  Json list = Json::array();
  for (const Error& finding : findings) list.push_back(error_json(finding));
  return list;
}

/// All mistakes at once: a line each, and as JSON the first of them as "error" like everywhere.
int report_all(const std::vector<Error>& errors, Json json, bool as_json) {
  for (const Error& error : errors) std::fprintf(stderr, "%s\n", describe(error).c_str());
  if (as_json) {
    json["error"] = error_json(errors.front());
    json["errors"] = findings_json(errors);
    print_json(json);
  }
  return exit_code(errors.front().code);
}

void print_findings(const std::vector<Error>& findings, const char* kind) {
  for (Error finding : findings) {
    finding.message = std::string(kind) + ": " + finding.message;
    std::fprintf(stderr, "%s\n", describe(finding).c_str());
  }
}

std::string number_of(size_t count, const char* noun, const char* plural) {
  return std::to_string(count) + " " + (count == 1 ? noun : plural);
}

std::string summary(const Loaded& loaded, const std::string& file) {
  return file + ": ok, " + number_of(loaded.core.clusters.size(), "cluster", "clusters") + ", " +
         number_of(loaded.core.policies.size(), "export policy", "export policies") +
         (loaded.warnings.empty()
              ? ""
              : ", " + number_of(loaded.warnings.size(), "warning", "warnings")) +
         "\n";
}

Status write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return {};
  return tl::unexpected(Error{ErrorCode::io, "cannot be written", path, 0, 0});
}

}  // namespace

int check_config(Session& session) {
  const CommandLine& line = session.line;
  const Loaded loaded = leasehold::check_config(line.subject);
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

int import_lsf(Session& session) {
  const CommandLine& line = session.line;
  ImportOptions options;
  options.provider = line.provider;
  const Imported imported = leasehold::import_lsf(line.files, options);
  Json json;
  json["toml"] = imported.toml;
  json["report"] = imported.report;
  if (!imported.errors.empty()) {
    json["toml"] = nullptr;
    return report_all(imported.errors, std::move(json), line.json);
  }
  if (!line.output.empty()) {
    if (Status written = write_file(line.output, imported.toml); !written) {
      return report(written.error(), line.json);
    }
  }
  for (const std::string& entry : imported.report) std::fprintf(stderr, "%s\n", entry.c_str());
  if (line.json) {
    print_json(json);
  } else if (line.output.empty()) {
    print(imported.toml);
  }
  return 0;
}

}  // namespace leasehold::ctl
