#include "agent/workload/command/answers.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "agent/workload/command/units.hpp"
#include "agent/workload/support/json_answer.hpp"

namespace leasehold::agent {

namespace {

constexpr int32_t kSlotsMost = kCommandSlotsMost;
constexpr int64_t kMebibytesMost = int64_t{1} << 40;
constexpr int64_t kManySlots = kCommandNumberMost;
constexpr int64_t kLongestMs = kCommandTimeMostMs;
constexpr int64_t kYear9999Ms = 253'370'764'800'000;  // a broker takes no later reservation,
constexpr size_t kReservationBytesMost = 256;         // and none with a longer name
constexpr int64_t kSecondsMost = 1'000'000'000;

int32_t slots_of(JsonObject& row, const char* key) {
  return static_cast<int32_t>(row.integer(key, 0, kSlotsMost));
}

/// Reads the version and a reported failure first: after a failure nothing else in the answer
/// counts.
Status read_answer(const std::string& text, const JsonObject::Read& read) {
  std::string failure;
  Status done = JsonObject::parse(text, [&](JsonObject& answer) {
    const int64_t version = answer.integer("version", 0, INT64_MAX);
    if (answer.good() && version != kCommandVersion) {
      answer.refuse("version", "is " + std::to_string(version) + "; this agent reads " +
                                   std::to_string(kCommandVersion));
    }
    if (answer.has("error")) {
      failure = answer.text("error");
    } else {
      read(answer);
    }
  });
  if (done && !failure.empty()) return fail(ErrorCode::io, "it says: " + failure);
  return done;
}

/// Reads what the program may say of a host's division. Every other word is refused, among them
/// "operator", which only the agent's own file may say.
wire::Division read_division(JsonObject& row) {
  using enum wire::Division;
  const std::string said = row.text_or("division", "unsaid");
  for (const wire::Division known :
       {unsaid, divisible, whole_nodes, pinned_cores, memory, devices}) {
    if (said == token(known)) return known;
  }
  row.refuse("division", "is '" + said +
                             "'; right would be divisible, whole-nodes, pinned-cores, memory or "
                             "devices");
  return unsaid;
}

/// Reads a reservation that somebody has of the host, ahead or in force.
wire::Horizon read_horizon(JsonObject& row) {
  wire::Horizon horizon;
  horizon.name = row.text("name");
  if (horizon.name.size() > kReservationBytesMost) {
    row.refuse("name", "is longer than " + std::to_string(kReservationBytesMost) + " bytes");
  }
  horizon.from_ms = row.integer("from_ms", 0, kYear9999Ms);
  horizon.until_ms = row.integer("until_ms", 0, kYear9999Ms);
  if (horizon.until_ms < horizon.from_ms) row.refuse("until_ms", "is before 'from_ms'");
  return horizon;
}

wire::HostFacts read_host(JsonObject& row) {
  wire::HostFacts host;
  host.name = row.text("name");
  host.slots = slots_of(row, "slots");
  host.up = row.flag("up");
  host.type = row.text_or("type", "");
  host.model = row.text_or("model", "");
  host.mem_mb = row.integer_or("mem_mb", 0, kMebibytesMost, 0);
  host.swap_mb = row.integer_or("swap_mb", 0, kMebibytesMost, 0);
  if (row.has("booleans")) host.booleans = row.texts("booleans");
  if (row.has("numbers")) host.numbers_milli = row.numbers_milli("numbers");
  host.division = read_division(row);
  if (row.has("horizon")) {
    row.object("horizon", [&host](JsonObject& one) { host.horizon = read_horizon(one); });
  }
  return host;
}

HostLoad read_load(JsonObject& row) {
  HostLoad load;
  load.host = row.text("host");
  load.imported = row.flag("imported");
  load.up = row.flag("up");
  load.used = slots_of(row, "used");
  load.used_peak = load.used;
  if (row.has("used_peak")) load.used_peak = std::max(load.used, slots_of(row, "used_peak"));
  load.division = read_division(row);
  return load;
}

HostCap read_cap(JsonObject& row, const wire::Fences& fences, const CapJournal& journal) {
  HostCap cap;
  cap.host = row.text("host");
  cap.imported = row.flag("imported");
  cap.slots = slots_of(row, "slots");
  cap.own = cap.imported ? 0 : cap.slots;
  const HostCap* kept = journal.find(cap.host);
  if (kept != nullptr && kept->imported == cap.imported) {
    const int32_t slots = cap.slots;
    cap = *kept;
    cap.slots = slots;
  }
  if (fences.memory) cap.mem_mb = row.integer("mem_mb", 0, kMebibytesMost);
  if (fences.swap) cap.swap_mb = row.integer("swap_mb", 0, kMebibytesMost);
  return cap;
}

/// Checks which hosts a view names, and that no list names one twice.
class Names {
 public:
  explicit Names(std::span<const std::string> imported)
      : imported_(imported.begin(), imported.end()) {}

  void host(JsonObject& row, const std::string& name) {
    if (!own_.emplace(name, false).second) row.refuse("name", "'" + name + "' is there twice");
    if (imported_.contains(name)) {
      row.refuse("name", "'" + name + "' is a host of another cluster; it belongs in loads only");
    }
  }
  void load(JsonObject& row, const HostLoad& load) {
    if (!loads_.insert(load.host).second) row.refuse("host", "'" + load.host + "' is there twice");
    if (load.imported ? !imported_.contains(load.host) : !own_.contains(load.host)) {
      row.refuse("host", "'" + load.host + "' is a host that nobody knows: " +
                             (load.imported ? "it was not asked for" : "it is not in hosts"));
    }
  }
  void cap(JsonObject& row, const HostCap& cap) {
    if (!caps_.insert(cap.host).second) row.refuse("host", "'" + cap.host + "' is there twice");
    if (cap.imported == own_.contains(cap.host)) {
      row.refuse("host", cap.imported ? "'" + cap.host + "' is a host of this cluster"
                                      : "'" + cap.host + "' is not in hosts");
    }
  }
  void all_loaded(JsonObject& view) const {
    for (const auto& [name, unused] : own_) {
      if (!loads_.contains(name)) view.refuse("loads", "host '" + name + "' is missing");
    }
  }

 private:
  std::map<std::string, bool> own_;
  std::set<std::string> imported_;
  std::set<std::string> loads_;
  std::set<std::string> caps_;
};

void read_lists(JsonObject& answer, Names names, const WorkloadTraits& traits,
                const CapJournal& journal, View& view) {
  answer.objects("hosts", [&](JsonObject& row) {
    names.host(row, view.hosts.emplace_back(read_host(row)).name);
  });
  answer.objects(
      "loads", [&](JsonObject& row) { names.load(row, view.loads.emplace_back(read_load(row))); });
  answer.objects("caps", [&](JsonObject& row) {
    names.cap(row, view.caps.emplace_back(read_cap(row, traits.fences, journal)));
  });
  names.all_loaded(answer);
}

/// Reads waiting jobs of one kind; one kind may have several rows.
WaitingWork read_waiting(JsonObject& row) {
  WaitingWork work;
  work.jobs = row.integer_or("jobs", 1, kSlotsMost, 1);
  work.slots = row.integer("slots", 1, kSlotsMost);
  work.slots_per_host = static_cast<int32_t>(row.integer_or("slots_per_host", 1, kSlotsMost, 1));
  work.hosts = static_cast<int32_t>(row.integer_or("hosts", 1, kSlotsMost, 1));
  if (int64_t{work.slots_per_host} * work.hosts > work.slots) {
    row.refuse("slots", "is " + std::to_string(work.slots) +
                            ", less than 'slots_per_host' on each "
                            "of 'hosts'");
  }
  if (row.has("limit_s")) set_limit(work, row.integer("limit_s", 1, kSecondsMost) * 1000);
  work.submitted = Instant{row.integer_or("submitted_ms", 0, kLongestMs, 0)};
  work.whole = row.flag_or("whole", false);
  work.on_imported = row.flag_or("on_imported", true);
  if (!row.has("host_types")) return work;
  work.host_types = row.texts("host_types");
  const bool known =
      std::all_of(work.host_types.begin(), work.host_types.end(), [](const std::string& type) {
        return !type.empty() && type.size() <= wire::kHostTypeBytesMax;
      });
  if (!known || work.host_types.size() > wire::kHostTypesMax) {
    row.refuse("host_types", "at most " + std::to_string(wire::kHostTypesMax) + " types of 1 to " +
                                 std::to_string(wire::kHostTypeBytesMax) + " bytes would be right");
  }
  return work;
}

RunningWork read_running(JsonObject& row) {
  RunningWork work;
  work.id = row.text("id");
  work.slots = row.integer("slots", 1, kSlotsMost);
  work.started = Instant{row.integer("started_ms", 0, kLongestMs)};
  work.on_imported = row.flag_or("on_imported", true);
  if (!row.has("until_ms")) return work;
  work.until = Instant{row.integer("until_ms", 0, kLongestMs)};
  if (work.until < work.started) row.refuse("until_ms", "is before 'started_ms'");
  return work;
}

/// Reads the shapes of work. The slots of waiting work must add up to the reported sum, to which a
/// job that takes a whole host may count with more slots than it wants there.
void read_shapes(JsonObject& answer, View& view) {
  answer.object("shapes", [&](JsonObject& all) {
    WorkShapes& shapes = view.shapes.emplace();
    shapes.now = Instant{all.integer("now_ms", 0, kLongestMs)};
    all.objects("waiting", [&](JsonObject& row) { shapes.waiting.push_back(read_waiting(row)); });
    std::set<std::string> ids;
    all.objects("running", [&](JsonObject& row) {
      shapes.running.push_back(read_running(row));
      if (!ids.insert(shapes.running.back().id).second) {
        row.refuse("id", "'" + shapes.running.back().id + "' is there twice");
      }
    });
    const int64_t wanted = slots_wanted(shapes.waiting);
    const bool whole = std::any_of(shapes.waiting.begin(), shapes.waiting.end(),
                                   [](const WaitingWork& work) { return work.whole; });
    if (whole ? wanted > view.pending : wanted != view.pending) {
      all.refuse("waiting", "wants " + std::to_string(wanted) + " slots, but 'pending' is " +
                                std::to_string(view.pending));
    }
  });
}

}  // namespace

Result<CommandDescription> read_description(const std::string& answer) {
  CommandDescription description;
  WorkloadTraits& traits = description.traits;
  traits.manager = "command";
  const Status read = read_answer(answer, [&](JsonObject& all) {
    all.object("fences", [&](JsonObject& fences) {
      traits.fences.memory = fences.flag("memory");
      traits.fences.swap = fences.flag("swap");
      traits.fences.resources = fences.flag("resources");
    });
    traits.settle_ms = all.integer("settle_ms", 0, 600'000);
    traits.self_expiring = all.flag("self_expiring");
    description.level = all.integer_or("level", 1, kCommandLevel, 1);
  });
  if (!read) return tl::unexpected(read.error());
  return description;
}

Result<View> read_view(const std::string& answer, std::span<const std::string> imported,
                       const WorkloadTraits& traits, const CapJournal& journal) {
  View view;
  const Status read = read_answer(answer, [&](JsonObject& all) {
    read_lists(all, Names(imported), traits, journal, view);
    view.pending = all.integer("pending", 0, kManySlots);
    view.running = all.integer("running", 0, kManySlots);
    if (all.has("shapes")) read_shapes(all, view);
    if (traits.self_expiring) {
      const int64_t until_ms = all.integer("leases_until_ms", -1, kLongestMs);
      view.leases_until_ms = until_ms < 0 ? INT64_MAX : until_ms;
    }
  });
  if (!read) return tl::unexpected(read.error());
  return view;
}

Result<WorkList> read_jobs(const std::string& answer, std::vector<std::string>* unknown) {
  WorkList work;
  std::vector<std::string> strange;
  std::set<std::string> ids;
  using Hosts = std::vector<std::string>;
  // Jobs that fit the same hosts share the list.
  std::map<Hosts, std::shared_ptr<const Hosts>> alike;
  const Status read = read_answer(answer, [&](JsonObject& all) {
    work.now = Instant{all.integer("now_ms", 0, kLongestMs)};
    all.objects("jobs", [&](JsonObject& row) {
      WorkUnit unit = read_unit(row, strange);
      if (unit.fits) unit.fits = alike.try_emplace(*unit.fits, unit.fits).first->second;
      if (!ids.insert(unit.id).second) row.refuse("id", "'" + unit.id + "' is there twice");
      work.units.push_back(std::move(unit));
    });
  });
  if (!read) return tl::unexpected(read.error());
  if (unknown != nullptr) *unknown = std::move(strange);
  return work;
}

Result<JobEnd> read_fate(const std::string& answer) {
  struct Row {
    std::string_view word;
    JobEnd::How how;
  };
  constexpr Row kFates[] = {{"unknown", JobEnd::How::unknown}, {"runs", JobEnd::How::goes_on},
                            {"queued", JobEnd::How::queued},   {"ended-well", JobEnd::How::well},
                            {"failed", JobEnd::How::failed},   {"ended", JobEnd::How::ended}};
  JobEnd end;
  const Status read = read_answer(answer, [&](JsonObject& all) {
    const std::string said = all.text("fate");
    const auto* known = std::find_if(std::begin(kFates), std::end(kFates),
                                     [&said](const Row& row) { return row.word == said; });
    if (known == std::end(kFates)) {
      return all.refuse("fate", "is '" + said +
                                    "'; right would be \"queued\", \"ended-well\", \"failed\", "
                                    "\"ended\", \"runs\" or \"unknown\"");
    }
    end.how = known->how;
    if (all.has("exit_code")) {
      end.exit_code = static_cast<int32_t>(all.integer("exit_code", 0, INT32_MAX));
    }
  });
  if (!read) return tl::unexpected(read.error());
  return end;
}

Result<std::vector<std::string>> read_lacking(const std::string& answer) {
  std::vector<std::string> lacking;
  const Status read = read_answer(answer, [&](JsonObject& all) { lacking = all.texts("lacking"); });
  if (!read) return tl::unexpected(read.error());
  return lacking;
}

Status read_done(const std::string& answer) {
  return read_answer(answer, [](JsonObject&) {});
}

}  // namespace leasehold::agent
