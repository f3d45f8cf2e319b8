#include "agent/workload/gridengine/notes.hpp"

#include <nlohmann/json.hpp>

#include "agent/workload/support/json_answer.hpp"
#include "agent/workload/support/kept_text.hpp"
#include "common/bounds.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

constexpr int kNotesVersion = 1;

tl::unexpected<Error> failed(const std::string& path, const std::string& what) {
  return fail(ErrorCode::io,
              "the file " + path + " of Grid Engine's slots and ending jobs " + what);
}

/// Times that sums of them do not overflow.
constexpr int64_t kTimeMost = int64_t{1} << 52;

EndingJob read_ending(JsonObject& row) {
  row.allow_others();
  return {row.text("job"),
          row.text("host"),
          static_cast<int32_t>(row.integer("slots", 0, kSlotsMax)),
          {row.integer("started_ms", -kTimeMost, kTimeMost)},
          row.integer("until_ms", -kTimeMost, kTimeMost),
          row.integer("lasts_ms", 0, kTimeMost)};
}

void read_noted(JsonObject& all, GridEngineNoted& noted) {
  all.members("originals", [&noted](const std::string& host, JsonObject& row) {
    row.allow_others();
    noted.originals[host] = {static_cast<int32_t>(row.integer("slots", 0, kSlotsMax)),
                             row.flag("own_entry")};
  });
  all.objects("ending", [&](JsonObject& row) { noted.ending.push_back(read_ending(row)); });
  noted.boot = all.text_or("boot", "");
  noted.stopped = all.texts("stopped");
}

json json_of(const GridEngineNoted& noted) {
  json all{{"version", kNotesVersion}, {"originals", json::object()}, {"ending", json::array()}};
  for (const auto& [host, original] : noted.originals) {
    all["originals"][host] = {{"slots", original.slots}, {"own_entry", original.own_entry}};
  }
  for (const EndingJob& job : noted.ending) {
    all["ending"].push_back({{"job", job.job},
                             {"host", job.host},
                             {"slots", job.slots},
                             {"started_ms", job.started.ms},
                             {"until_ms", job.until_ms},
                             {"lasts_ms", job.lasts_ms}});
  }
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
  const Result<std::optional<std::string>> text = read_kept_text(path);
  if (!text) return failed(path, text.error().message);
  if (!*text) return notes;
  std::string about;
  const Status read = JsonObject::parse(
      **text,
      [&](JsonObject& all) {
        all.allow_others();
        all.integer("version", kNotesVersion, kNotesVersion);
        about = all.text("of");
        read_noted(all, notes.noted_);
      },
      "the file");
  if (!read) {
    return failed(path, "cannot be read: " + read.error().message +
                            "; put a copy back, or remove it: then the slots that fenced hosts "
                            "have now count as the administrator's");
  }
  if (about != of) {
    return failed(path, "is about " + about + ", and configured is " + of +
                            "; name another file in 'state', or run lease-agent --release for the "
                            "old cell first");
  }
  return notes;
}

Status GridEngineNotes::put(GridEngineNoted noted) {
  if (noted == noted_) return {};
  if (read_only_) return failed(path_, "is not written by --probe");
  json all = json_of(noted);
  all["of"] = of_;
  if (const Status written = replace_with_json(path_, all); !written) {
    return failed(path_, written.error().message);
  }
  noted_ = std::move(noted);
  return {};
}

}  // namespace leasehold::agent
