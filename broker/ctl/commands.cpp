#include "broker/ctl/commands.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "broker/ctl/command_line/parse.hpp"
#include "broker/views/catalogue.hpp"
#include "common/check.hpp"
#include "common/time/clock.hpp"

namespace leasehold::ctl {

namespace {

struct Entry {
  const char* command;
  int (*run)(Invocation&);
};

constexpr Entry kEntries[] = {
    {"history", show_history},
    {"replay", replay},
    {"usage", usage},
    {"doctor", doctor},
    {"watch", watch},
    {"reload", reload},
    {"simulate", run_simulation},
    {"plan", plan},
    {"import-lsf", import_lsf},
    {"import-ego", import_ego},
    {"check-config", check_config},
    {"backup", backup},
    {"restore", restore},
    {"tables", tables},
    {"keygen", keygen},
    {"completion", completion},
    {"reference", reference},
};

/// Returns the function of a known command; commands without an entry are rows of the catalogue.
int (*run_of(const CommandLine& line))(Invocation&) {
  for (const Entry& entry : kEntries) {
    if (line.command == entry.command) return entry.run;
  }
  LEASEHOLD_CHECK(line.request.row != nullptr, "a command without an entry is in the catalogue");
  return line.request.row->is_change() ? change : show;
}

/// This also works for a line that cannot be parsed: a caller with --json or -o json reads JSON.
bool wants_json(int argc, const char* const* argv) {
  std::string_view before;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--json" || word == "-ojson" || word == "--output=json") return true;
    if (word == "json" && (before == "-o" || before == "--output")) return true;
    before = word;
  }
  return false;
}

}  // namespace

int run(int argc, const char* const* argv) {
  auto parsed = parse_command_line(argc, argv, wall_time());
  if (!parsed) return report(parsed.error(), wants_json(argc, argv));
  if (const Help* help = std::get_if<Help>(&*parsed)) {
    print(help->text);
    return finish_output();
  }
  Invocation invocation(std::get<CommandLine>(*std::move(parsed)));
  const int code = run_guarded(invocation, run_of(invocation.line));
  const int written = finish_output();
  if (invocation.from_memory() && code <= 1) return kNobodyLeads;
  return code != 0 ? code : written;
}

}  // namespace leasehold::ctl
