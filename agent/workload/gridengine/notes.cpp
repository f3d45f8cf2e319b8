#include "agent/workload/gridengine/notes.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "agent/workload/support/durable_file.hpp"
#include "common/config/file.hpp"
#include "common/json_text.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;

tl::unexpected<Error> failed(const std::string& path, const std::string& what) {
  return fail(ErrorCode::io, "the notes about Grid Engine in " + path + " " + what);
}

GridEngineNoted noted_of(const json& all) {
  GridEngineNoted noted;
  for (const auto& [host, row] : all.at("originals").items())
    noted.originals[host] = {row.at("slots"), row.at("own_entry")};
  for (const json& row : all.at("ending"))
    noted.ending.push_back({row.at("job"),
                            row.at("host"),
                            row.at("slots"),
                            {row.at("started_ms")},
                            row.at("until_ms"),
                            row.at("lasts_ms")});
  all.at("boot").get_to(noted.boot);
  all.at("stopped").get_to(noted.stopped);
  return noted;
}

json json_of(const GridEngineNoted& noted) {
  json all{{"version", kVersion}, {"originals", json::object()}, {"ending", json::array()}};
  for (const auto& [host, original] : noted.originals)
    all["originals"][host] = {{"slots", original.slots}, {"own_entry", original.own_entry}};
  for (const EndingJob& job : noted.ending)
    all["ending"].push_back({{"job", job.job},
                             {"host", job.host},
                             {"slots", job.slots},
                             {"started_ms", job.started.ms},
                             {"until_ms", job.until_ms},
                             {"lasts_ms", job.lasts_ms}});
  all["boot"] = noted.boot;
  all["stopped"] = noted.stopped;
  return all;
}

}  // namespace

Result<GridEngineNotes> GridEngineNotes::open(const std::string& path, const std::string& of,
                                              bool read_only) {
  GridEngineNotes notes;
  notes.path_ = path;
  notes.of_ = of;
  notes.read_only_ = read_only;
  if (!std::filesystem::exists(path)) return notes;
  const Result<std::string> text = read_text_file(path);
  if (!text) return failed(path, text.error().message);
  const Result<json> parsed = parse_json<json>(*text);
  if (!parsed) return failed(path, parsed.error().message);
  try {
    const json& all = *parsed;
    if (all.at("version") != kVersion)
      return failed(path, "are of version " + all.at("version").dump() + "; this program reads 1");
    if (const std::string about = all.at("of"); about != of)
      return failed(path, "are about " + about + ", and configured is " + of +
                              "; name another file in 'state', or release that one first");
    notes.noted_ = noted_of(all);
  } catch (const json::exception& wrong) {
    return failed(path, std::string("cannot be read: ") + wrong.what());
  }
  return notes;
}

Status GridEngineNotes::put(GridEngineNoted noted) {
  if (noted == noted_) return {};
  if (read_only_) return failed(path_, "were opened for reading");
  json all = json_of(noted);
  all["of"] = of_;
  if (const Status written = replace_file(path_, all.dump() + "\n"); !written)
    return failed(path_, written.error().message);
  noted_ = std::move(noted);
  return {};
}

}  // namespace leasehold::agent
