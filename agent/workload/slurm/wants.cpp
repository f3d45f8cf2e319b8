#include "agent/workload/slurm/wants.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "agent/workload/slurm/words.hpp"

namespace leasehold::agent {

namespace {

constexpr const char* kWants = "squeue";
constexpr double kRounded = 1.05;  // "1.50G" is printed with two digits
constexpr int kDepthMost = 20;     // of brackets in a list of features

/// "16000M", "1.50G"; a number without a unit counts megabytes.
std::optional<double> megabytes(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || value < 0 || value > 1e12) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(read.ptr - text.data()));
  if (unit == "K") return value / 1024;
  if (unit.empty() || unit == "M") return value;
  if (unit == "G") return value * 1024;
  if (unit == "T") return value * 1024 * 1024;
  return std::nullopt;
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

/// "cpu=4,mem=400M,node=1,billing=4". Devices are told here only if the site accounts for them.
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

/// "gres:gpu:tesla:2,gres/fpga" of each node, socket or task, or of `hosts` together; "N/A": none.
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

  bool fit() {
    const bool found = list('\0', false);
    return found && good_ && text_.empty();
  }

 private:
  /// Within brackets hosts may differ: each is asked for one of the words.
  bool list(char end, bool any) {
    bool found = one();
    while (good_ && !text_.empty() && text_.front() != end) {
      const char joint = text_.front();
      text_.remove_prefix(1);
      if (joint == '|' || (any && joint == '&'))
        found = one() || found;
      else if (joint == '&' || joint == ',')
        found = one() && found;
      else
        good_ = false;
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

Result<std::unordered_map<std::string, SlurmWants>> parse_slurm_wants(std::string_view text) {
  constexpr const char* kWanted =
      "a job's number, least memory, trackable resources, devices and features";
  std::unordered_map<std::string, SlurmWants> found;
  if (text.empty()) return found;
  if (Status whole = ends_whole(kWants, text); !whole) return tl::unexpected(whole.error());
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    if (trimmed(line).empty()) continue;
    std::string_view rest = line;
    const std::string_view id = take_until(rest, '|');
    const std::string_view least = take_until(rest, '|');
    const std::string_view tres = take_until(rest, '|');
    std::array<std::string_view, 3> each;  // of each node, socket, task
    for (std::string_view& devices : each) devices = take_until(rest, '|');
    const std::string_view together = take_until(rest, '|');
    if (!number(id) || rest.empty() || rest.back() != '|') return misread(kWants, line, kWanted);
    rest.remove_suffix(1);
    SlurmWants wants;
    Tres all;
    const std::optional<double> mem_mb = megabytes(least);
    if (!mem_mb || !read_tres(tres, all)) return misread(kWants, line, kWanted);
    for (const std::string_view devices : each) read_devices(devices, 1, wants);
    read_devices(together, all.nodes, wants);
    // The least memory is told without saying of what; numbers are rounded.
    const bool per_cpu = all.mem_mb > *mem_mb * static_cast<double>(all.nodes) * kRounded;
    (per_cpu ? wants.mem_mb_per_cpu : wants.mem_mb_per_host) = static_cast<int64_t>(*mem_mb);
    if (rest != "(null)") wants.features = std::string(rest);
    found.emplace(id, std::move(wants));
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
      if (const std::optional<int64_t> count = number(part))
        device.count = *count;
      else if (part != "no_consume")
        device.type = std::string(part);
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

bool slurm_features_fit(std::string_view expression, const std::vector<std::string>& features) {
  return expression.empty() || Features(expression, features).fit();
}

}  // namespace leasehold::agent
