#include "agent/workload/slurm/printed/wants.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "agent/workload/slurm/printed/words.hpp"
#include "common/text/trimmed.hpp"

namespace leasehold::agent {

namespace {

constexpr const char* kWants = "squeue";
constexpr double kRounded = 1.05;       // "1.50G" is printed with two digits
constexpr int kDepthMost = 20;          // of brackets in a list of features
constexpr int kBarsLeast = 8;           // in a line of kSlurmWantsFormat behind the job's number
constexpr double kMegabytesMost = 1e9;  // no host has more

/// "16000M", "1.50G"; a number without a unit counts megabytes. nullopt: it is no such number, or
/// more than kMegabytesMost.
std::optional<double> megabytes(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  std::string_view unit = text.substr(static_cast<size_t>(read.ptr - text.data()));
  if (unit.empty()) unit = "M";
  const size_t power = std::string_view("KMGTP").find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  value = std::ldexp(value, 10 * (static_cast<int>(power) - 1));
  const bool possible = value >= 0 && value <= kMegabytesMost;  // false of NaN
  return possible ? std::optional<double>(value) : std::nullopt;
}

std::string_view take_until(std::string_view& text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

struct Tres {
  double mem_mb = 0;  // on all its hosts together
  int64_t nodes = 1;
};

/// Reads "cpu=4,mem=400M,node=1,billing=4". It has devices only if the site accounts for them.
bool read_tres(std::string_view text, Tres& tres) {
  while (!text.empty()) {
    std::string_view word = take_until(text, ',');
    const std::string_view key = take_until(word, '=');
    if (key == "mem") {
      const std::optional<double> mem_mb = megabytes(word);
      if (!mem_mb) return false;
      tres.mem_mb = *mem_mb;
    } else if (key == "node") {
      const std::optional<int64_t> nodes = number(word);
      if (!nodes || *nodes < 1) return false;
      tres.nodes = *nodes;
    }
  }
  return true;
}

/// Reads "gres:gpu:tesla:2,gres/fpga" of each node, socket or task, or of `hosts` together; "N/A"
/// means none.
void read_devices(std::string_view text, int64_t hosts, SlurmWants& wants) {
  if (text == "N/A" || text == "(null)") return;
  while (!text.empty()) {
    std::string_view word = take_until(text, ',');
    if (word.starts_with("gres:") || word.starts_with("gres/")) word.remove_prefix(5);
    for (SlurmDevice& device : parse_slurm_devices(word)) {
      device.count = (device.count + hosts - 1) / hosts;
      wants.devices.push_back(std::move(device));
    }
  }
}

/// A list of features as `sbatch -C` takes it, asked of one host.
class Features {
 public:
  Features(std::string_view text, const std::vector<std::string>& host)
      : text_(text), host_(host) {}

  std::optional<bool> fit() {
    const bool found = list('\0', false);
    return good_ && text_.empty() ? std::optional<bool>(found) : std::nullopt;
  }

 private:
  /// Within brackets hosts may differ: each is asked for one of the words.
  bool list(char end, bool any) {
    bool found = one();
    while (good_ && !text_.empty() && text_.front() != end) {
      const char joint = text_.front();
      text_.remove_prefix(1);
      if (joint == '|' || (any && joint == '&')) {
        found = one() || found;
      } else if (joint == '&' || joint == ',') {
        found = one() && found;
      } else {
        good_ = false;
      }
    }
    return found;
  }

  bool one() {
    bool found = false;
    if (!text_.empty() && (text_.front() == '[' || text_.front() == '(')) {
      const char close = text_.front() == '[' ? ']' : ')';
      text_.remove_prefix(1);
      good_ = good_ && ++depth_ <= kDepthMost;
      if (good_) found = list(close, close == ']');
      --depth_;
      good_ = good_ && !text_.empty() && text_.front() == close;
      if (good_) text_.remove_prefix(1);
    } else {
      const size_t end = std::min(text_.find_first_of("&|,*[]()"), text_.size());
      good_ = good_ && end > 0;
      found = std::find(host_.begin(), host_.end(), text_.substr(0, end)) != host_.end();
      text_.remove_prefix(end);
    }
    if (!text_.empty() && text_.front() == '*') {  // on so many of its hosts
      const size_t digits = std::min(text_.find_first_not_of("0123456789", 1), text_.size());
      good_ = good_ && digits > 1;
      text_.remove_prefix(digits);
    }
    return found;
  }

  std::string_view text_;
  const std::vector<std::string>& host_;
  bool good_ = true;
  int depth_ = 0;
};

}  // namespace

namespace {

/// The fields of kSlurmWantsFormat behind the job's number.
struct WantsFields {
  std::string_view least_memory;
  std::string_view tres;
  std::array<std::string_view, 3> devices_of_each;  // node, socket, task
  std::string_view devices_together;
  std::string_view reservation;
  std::string_view features;  // whatever is left: they may hold the separator
};

WantsFields fields_of(std::string_view rest) {
  WantsFields fields;
  fields.least_memory = take_until(rest, '|');
  fields.tres = take_until(rest, '|');
  for (std::string_view& devices : fields.devices_of_each) devices = take_until(rest, '|');
  fields.devices_together = take_until(rest, '|');
  fields.reservation = take_until(rest, '|');
  fields.features = rest;
  return fields;
}

/// Slurm prints the least memory without saying whether it is for a host or for a CPU.
bool read_memory(const WantsFields& fields, Tres& all, SlurmWants& wants) {
  if (!read_tres(fields.tres, all)) return false;
  if (fields.least_memory.empty()) return true;  // a version that does not print it
  const std::optional<double> least_mb = megabytes(fields.least_memory);
  if (!least_mb) return false;
  wants.all_memory = *least_mb == 0 && all.mem_mb > 0;
  const bool per_cpu = all.mem_mb > *least_mb * static_cast<double>(all.nodes) * kRounded;
  (per_cpu ? wants.mem_mb_per_cpu : wants.mem_mb_per_host) = static_cast<int64_t>(*least_mb);
  return true;
}

SlurmWants wants_of(const WantsFields& fields) {
  SlurmWants wants;
  Tres all;
  if (!read_memory(fields, all, wants)) {
    wants.unknown = "the memory '" + std::string(fields.least_memory) + "', in all '" +
                    std::string(fields.tres) + "', that a waiting job wants is not understood";
  }
  for (const std::string_view devices : fields.devices_of_each) read_devices(devices, 1, wants);
  read_devices(fields.devices_together, all.nodes, wants);
  if (fields.reservation != "(null)" && fields.reservation != "N/A") {
    wants.reservation = std::string(fields.reservation);
  }
  if (fields.features != "(null)") wants.features = std::string(fields.features);
  if (!slurm_features_fit(wants.features, {})) {
    wants.unknown = "the features '" + wants.features + "' of a waiting job are not understood";
  }
  return wants;
}

}  // namespace

Result<std::unordered_map<std::string, SlurmWants>> parse_slurm_wants(std::string_view text) {
  std::unordered_map<std::string, SlurmWants> found;
  if (text.empty()) return found;
  if (Status whole = ends_whole(kWants, text); !whole) return tl::unexpected(whole.error());
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    if (trimmed(line).empty()) continue;
    std::string_view rest = line;
    const std::string_view id = take_until(rest, '|');
    const auto bars = std::count(rest.begin(), rest.end(), '|');
    if (!number(id) || bars < kBarsLeast || rest.back() != '|') {
      return misread(kWants, line, "a job's number, memory, devices, reservation and features");
    }
    rest.remove_suffix(1);
    // Tasks of an array want the same.
    if (const auto [job, first] = found.try_emplace(std::string(id)); first) {
      job->second = wants_of(fields_of(rest));
    }
  }
  return found;
}

std::vector<SlurmDevice> parse_slurm_devices(std::string_view gres) {
  std::vector<SlurmDevice> devices;
  std::string plain;  // without what stands in brackets: sockets, which hold commas
  int depth = 0;
  for (const char each : gres) {
    depth += each == '(' ? 1 : 0;
    if (depth == 0) plain += each;
    depth -= each == ')' ? 1 : 0;
  }
  for (std::string_view rest = plain; !rest.empty();) {
    std::string_view word = take_until(rest, ',');
    if (word.empty() || word == "none") continue;
    SlurmDevice device{std::string(take_until(word, ':')), "", 1};
    while (!word.empty()) {
      const std::string_view part = take_until(word, ':');
      if (const std::optional<int64_t> count = number(part)) {
        device.count = *count;
      } else if (part != "no_consume") {
        device.type = std::string(part);
      }
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

std::optional<bool> slurm_features_fit(std::string_view expression,
                                       const std::vector<std::string>& features) {
  if (expression.empty()) return true;
  return Features(expression, features).fit();
}

}  // namespace leasehold::agent
