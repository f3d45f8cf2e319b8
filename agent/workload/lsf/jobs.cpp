// The part of text.hpp that reads `bjobs -json`.
#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "agent/workload/lsf/text.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

constexpr int64_t kSlotsMost = 1'000'000;
constexpr size_t kKeysMost = 64;  // of an object: each key is compared with the others

enum class Holding : uint8_t { waits, holds, neither };

struct JobState {
  std::string_view name;
  Holding holding;
};

/// States of bjobs, "STAT". Jobs of which LSF is not sure (UNKWN, ZOMBI) hold their slots; a
/// waiting member of a chunk (WAIT) has none of its own.
constexpr std::array<JobState, 11> kStates{{{"PEND", Holding::waits},
                                            {"PROV", Holding::holds},
                                            {"RUN", Holding::holds},
                                            {"SSUSP", Holding::holds},
                                            {"USUSP", Holding::holds},
                                            {"UNKWN", Holding::holds},
                                            {"ZOMBI", Holding::holds},
                                            {"PSUSP", Holding::neither},
                                            {"WAIT", Holding::neither},
                                            {"DONE", Holding::neither},
                                            {"EXIT", Holding::neither}}};

enum Field : uint8_t {
  kJobId,
  kJobIndex,
  kStat,
  kUser,
  kQueue,
  kProject,
  kSla,
  kPriority,
  kSubmitted,
  kStarted,
  kWanted,
  kAllocated,
  kPlaces,
  kFields
};
constexpr std::array<const char*, kFields> kNames{
    "JOBID",        "JOBINDEX",    "STAT",       "USER",      "QUEUE",       "PROJ_NAME", "SLA",
    "JOB_PRIORITY", "SUBMIT_TIME", "START_TIME", "NREQ_SLOT", "NALLOC_SLOT", "ALLOC_SLOT"};
/// The texts of one record, by field; an absent field keeps its memory for the next record.
struct Fields {
  std::array<std::string, kFields> texts;
  std::bitset<kFields> there;
};

/// Reads one record; the first fault is kept.
class Record {
 public:
  Record(const Fields& fields, size_t index, std::string& wrong)
      : fields_(fields), index_(index), wrong_(wrong) {}

  const std::string& text(Field field) {
    static const std::string kNone;
    if (fields_.there[field]) return fields_.texts[field];
    refuse(kNames[field], "is missing");
    return kNone;
  }
  /// Returns `otherwise` for "" and "-"; else a number, even with words after it ("34 second(s)").
  int64_t number(Field key, int64_t most, int64_t otherwise) {
    const std::string& said = text(key);
    if (said.empty() || said == "-") return otherwise;
    int64_t value = -1;
    const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), value);
    const bool ends = end == said.data() + said.size() || *end == ' ';
    if (error == std::errc() && ends && value >= 0 && value <= most) return value;
    refuse(kNames[key], "is '" + said + "'");
    return otherwise;
  }
  Instant time(Field key, Instant now) {
    const std::string& said = text(key);
    const std::optional<Instant> read = lsf_time(said, now);
    if (!read) {
      refuse(kNames[key], "is '" + said + "'; as in \"Apr 12 18:10:55 2026\" would be right");
    }
    return read.value_or(Instant{});
  }
  void refuse(const std::string& key, const std::string& what) {
    if (wrong_.empty()) wrong_ = "RECORDS[" + std::to_string(index_) + "]." + key + ": " + what;
  }

 private:
  const Fields& fields_;
  size_t index_;
  std::string& wrong_;
};

/// Reads "hostA:hostA:hostB", or the shorter "2*hostA:hostB".
std::vector<UnitHost> hosts_of(Record& record, std::string_view text) {
  std::vector<UnitHost> hosts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(':'), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    int64_t slots = 1;
    if (const size_t star = one.find('*'); star != one.npos) {
      const auto [stop, error] = std::from_chars(one.data(), one.data() + star, slots);
      if (error != std::errc() || stop != one.data() + star || slots < 1 || slots > kSlotsMost) {
        record.refuse("ALLOC_SLOT", "'" + std::string(one) + "' is no host with slots");
      }
      one.remove_prefix(star + 1);
    }
    if (one.empty()) record.refuse("ALLOC_SLOT", "a host has no name");
    const auto known = std::find_if(hosts.begin(), hosts.end(),
                                    [one](const UnitHost& host) { return host.host == one; });
    if (known != hosts.end()) {
      known->slots += static_cast<int32_t>(slots);
    } else {
      hosts.push_back({std::string(one), static_cast<int32_t>(slots), {}});
    }
  }
  return hosts;
}

void read_allocation(Record& record, Instant now, WorkUnit& unit) {
  unit.hosts = hosts_of(record, record.text(kPlaces));
  unit.slots = 0;
  for (const UnitHost& host : unit.hosts) unit.slots += host.slots;
  const int64_t stated = record.number(kAllocated, kSlotsMost, -1);
  if (unit.hosts.empty()) {
    record.refuse("ALLOC_SLOT", "is empty, but the job holds slots");
  } else if (stated != unit.slots) {
    record.refuse("NALLOC_SLOT", "is " + std::to_string(stated) + ", but ALLOC_SLOT names " +
                                     std::to_string(unit.slots) + " slots");
  }
  unit.started = record.time(kStarted, now);
}

/// Adds the job, if it waits or holds slots.
void read_record(Record record, Instant now, std::vector<WorkUnit>& units, LsfUnknown* unknown) {
  WorkUnit unit;
  const std::string& index = record.text(kJobIndex);
  unit.id = record.text(kJobId);
  if (unit.id.empty() || unit.id.find_first_not_of("0123456789[]") != unit.id.npos) {
    record.refuse("JOBID", "is '" + unit.id + "'");
  }
  if (!index.empty() && index != "0" && unit.id.find('[') == unit.id.npos) {
    unit.id += "[" + index + "]";
  }
  unit.user = record.text(kUser);
  unit.partition = record.text(kQueue);
  unit.account = record.text(kProject);
  unit.qos = record.text(kSla);
  unit.priority = record.number(kPriority, INT32_MAX, 0);
  unit.submitted = record.time(kSubmitted, now);
  const std::string& state = record.text(kStat);
  const auto known = std::find_if(kStates.begin(), kStates.end(),
                                  [&](const JobState& one) { return one.name == state; });
  const Holding otherwise =  // "-": it is nowhere
      record.text(kPlaces).size() > 1 ? Holding::holds : Holding::neither;
  const Holding holding = known == kStates.end() ? otherwise : known->holding;
  if (known == kStates.end() && unknown != nullptr) (*unknown)[unit.id] = state;
  if (holding == Holding::neither) return;
  if (holding == Holding::holds) read_allocation(record, now, unit);
  if (unit.hosts.empty()) unit.slots = static_cast<int32_t>(record.number(kWanted, kSlotsMost, 1));
  units.push_back(std::move(unit));
}

/// Reads `{"COMMAND":"bjobs","JOBS":n,"RECORDS":[{"FIELD":"text", …}, …]}` in one pass, without a
/// tree of it. Other nesting, a field that occurs twice and a value that is no text are faults.
class Reader final : public nlohmann::json_sax<json> {
 public:
  Reader(Instant now, std::vector<WorkUnit>& units, LsfUnknown* unknown)
      : now_(now), units_(units), unknown_(unknown) {}

  /// Returns the fault of the whole text, after it was read.
  std::string wrong() const {
    if (!wrong_.empty()) return wrong_;
    if (command_ != "bjobs") return "COMMAND is not \"bjobs\"";
    if (!records_seen_) return "RECORDS is missing";
    // A list that was cut off frees none of its slots.
    if (jobs_ != std::to_string(records_)) return "JOBS is not the number of RECORDS";
    return {};
  }

  bool null() override { return value("null"); }
  bool boolean(bool) override { return value("true or false"); }
  bool number_integer(int64_t number) override { return count(std::to_string(number)); }
  bool number_unsigned(uint64_t number) override { return count(std::to_string(number)); }
  bool number_float(double, const std::string& text) override { return value(text); }
  bool binary(json::binary_t&) override { return value("binary"); }
  bool string(std::string& text) override {
    if (depth_ == 1) return count(text);
    if (depth_ != 3) return refuse("a text is where none should be");
    if (field_ != kFields) fields_.texts[field_] = text;
    return true;
  }
  bool start_object(size_t) override {
    if (depth_ != 0 && (depth_ != 2 || key_ != "RECORDS")) {
      return refuse("an object is where none should be");
    }
    ++depth_;
    fields_.there.reset();
    field_ = kFields;
    keys_.clear();
    return true;
  }
  bool key(std::string& name) override {
    field_ = depth_ == 1 ? kFields : field_of(name);
    const bool twice =
        field_ == kFields ? !is_new(depth_ == 1 ? top_keys_ : keys_, name) : fields_.there[field_];
    if (twice) return refuse("a key is there twice: " + name);
    if (field_ != kFields) fields_.there.set(field_);
    if (depth_ == 1) key_ = name;
    return wrong_.empty();
  }
  bool end_object() override {
    if (--depth_ == 0) return true;
    read_record(Record(fields_, records_++, wrong_), now_, units_, unknown_);
    return wrong_.empty();
  }
  bool start_array(size_t) override {
    if (depth_ != 1 || key_ != "RECORDS") return refuse("a list is where none should be");
    records_seen_ = true;
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(size_t at, const std::string&, const json::exception&) override {
    return refuse("no JSON, or cut off, after " + std::to_string(at) + " bytes");
  }

 private:
  bool refuse(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
    return false;
  }
  /// LSF prints the fields in the requested order, so the next one is tried first.
  Field field_of(const std::string& name) const {
    const size_t next = field_ == kFields ? 0 : field_ + size_t{1};
    if (next < kFields && name == kNames[next]) return static_cast<Field>(next);
    return static_cast<Field>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
  }
  bool is_new(std::vector<std::string>& keys, const std::string& name) {
    if (keys.size() == kKeysMost) return refuse("an object has more than 64 keys");
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) return false;
    keys.push_back(name);
    return true;
  }
  /// Reads JOBS, a number or a text, and COMMAND; other keys at the top are ignored.
  bool count(const std::string& said) {
    if (depth_ != 1) return value(said);
    if (key_ == "JOBS") jobs_ = said;
    if (key_ == "COMMAND") command_ = said;
    return true;
  }
  bool value(const std::string& said) {
    if (depth_ == 1) return true;
    if (depth_ != 3) return refuse(said + " is where no value should be");
    if (field_ == kFields) return true;
    return refuse("RECORDS[" + std::to_string(records_) + "]." + kNames[field_] + ": is " + said +
                  "; text is right");
  }

  Instant now_;
  std::vector<WorkUnit>& units_;
  LsfUnknown* unknown_;
  int depth_ = 0;  // 1: the whole, 2: RECORDS, 3: a record
  std::string key_;
  Field field_ = kFields;
  Fields fields_;
  std::vector<std::string> keys_;
  std::vector<std::string> top_keys_;
  std::string command_;
  std::string jobs_;
  bool records_seen_ = false;
  size_t records_ = 0;
  std::string wrong_;
};

tl::unexpected<Error> refused(const std::string& what) {
  return fail(ErrorCode::io, "bjobs: " + what);
}

}  // namespace

Result<std::vector<WorkUnit>> parse_bjobs(const std::string& text, Instant now,
                                          LsfUnknown* unknown) {
  std::vector<WorkUnit> units;
  Reader reader(now, units, unknown);
  json::sax_parse(text, &reader);
  if (const std::string wrong = reader.wrong(); !wrong.empty()) return refused(wrong);
  std::unordered_set<std::string> ids;
  for (const WorkUnit& unit : units) {
    if (!ids.insert(unit.id).second) return refused("job " + unit.id + " is there twice");
  }
  return units;
}

}  // namespace leasehold::agent
