#include "broker/ctl/watch/picture.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/text/printable.hpp"

namespace leasehold::ctl {

namespace {

using columns::text;

constexpr size_t kBarColumns = 8;
constexpr size_t kDecisions = 5;
/// Lines besides the table's rows: the head, a blank, the table's title; then a blank, the
/// decisions with their title, the keys.
constexpr size_t kLinesAround = 5 + kDecisions + 3;

/// Cuts or fills the line to that many columns. Contract: it is printable text, one column a
/// character.
std::string fitted(const std::string& line, size_t columns) {
  std::string out;
  size_t used = 0;
  for (size_t at = 0; at < line.size() && used < columns; ++used) {
    const size_t bytes = character_at(line, at).bytes;
    out.append(line, at, bytes);
    at += bytes;
  }
  return out + std::string(columns - used, ' ');
}

int64_t part_number(const Json& row, const char* part, const char* key) {
  return number_at(part_at(row, part), key);
}

/// Returns the bar "████░░░░": the used and idle parts of what the side has.
std::string bar(int64_t used, int64_t available, bool blocks) {
  if (available <= 0) return std::string(kBarColumns, ' ');
  const auto share =
      static_cast<double>(std::clamp<int64_t>(used, 0, available)) / static_cast<double>(available);
  const auto filled = static_cast<size_t>(std::ceil(share * double{kBarColumns}));
  std::string out;
  for (size_t i = 0; i < kBarColumns; ++i) {
    if (blocks) {
      out += i < filled ? "\u2588" : "\u2591";
    } else {
      out += i < filled ? '#' : '.';
    }
  }
  return out;
}

std::string side(const Json& lease, const char* key, bool blocks) {
  const int64_t used = part_number(lease, key, "used");
  const int64_t available = part_number(lease, key, "available");
  const std::string counts = std::to_string(used) + "/" + std::to_string(available);
  return bar(used, available, blocks) + " " +
         std::string(counts.size() < 9 ? 9 - counts.size() : 0, ' ') + counts;
}

constexpr size_t kSideColumns = kBarColumns + 10;
constexpr size_t kPhaseColumns = 9;

/// Returns the columns for the lease's name; the rest is for its reason.
size_t name_columns(size_t columns) {
  constexpr size_t kOthers = 2 * kSideColumns + kPhaseColumns + 4;
  return columns > kOthers ? std::min<size_t>((columns - kOthers) * 3 / 5, 40) : 0;
}

std::string lease_line(const Json& lease, size_t columns, bool blocks) {
  return fitted(text(lease, "id"), name_columns(columns)) + " " +
         side(lease, "provider_slots", blocks) + " " + side(lease, "consumer_slots", blocks) + " " +
         fitted(text(lease, "phase"), kPhaseColumns) + " " + text(lease, "reason");
}

std::string lease_title(size_t columns) {
  return fitted("LEASE", name_columns(columns)) + " " + fitted("PROVIDER USED/HAS", kSideColumns) +
         " " + fitted("CONSUMER USED/HAS", kSideColumns) + " " + fitted("PHASE", kPhaseColumns) +
         " REASON";
}

/// Returns "17:05:00".
std::string clock_of(const Json& row) {
  const std::string time = columns::time(row, "time");
  return time.size() > 19 ? time.substr(11, 8) : time;
}

std::string decision_line(const Json& row) {
  std::string line = clock_of(row) + "  " + text(row, "kind");
  if (has_text(row, "lease")) line += "  " + text(row, "lease");
  if (has_text(row, "reason")) line += "  " + text(row, "reason");
  const bool moved = has_text(row, "from") && has_text(row, "to");
  if (moved) line += "  " + text(row, "slots") + " " + text(row, "from") + " -> " + text(row, "to");
  return line;
}

class Picture {
 public:
  Picture(const Shown& shown, Size size, bool colour, bool blocks)
      : shown_(shown), size_(size), colour_(colour), blocks_(blocks) {}

  std::vector<std::string> take() {
    head();
    leases();
    decisions();
    lines_.resize(size_.lines > 0 ? size_.lines - 1 : 0);
    keys();
    return std::move(lines_);
  }

 private:
  void add(const std::string& line, const char* colour = "") {
    const std::string plain = fitted(line, size_.columns);
    const bool coloured = colour_ && *colour != '\0';
    lines_.push_back(coloured ? std::string(colour) + plain + "\033[0m" : plain);
  }

  static std::string freeze_ahead(const Json& status) {
    const Json& ahead = object_at(status, "freeze_ahead");
    return ahead.is_null() ? "" : "; freeze from " + columns::time(ahead, "from");
  }

  void head() {
    const Json& status = shown_.status;
    if (status.is_null()) {
      add("leasectl watch", "\033[1m");
      add(shown_.trouble.empty() ? "asking the broker ..." : shown_.trouble, "\033[31m");
      return add("");
    }
    add(text(status, "broker") + " " + text(status, "version") + "  mode " + text(status, "mode") +
            "  " + columns::time(status, "time") + (shown_.paused ? "  (paused)" : ""),
        "\033[1m");
    add("clusters " + text(status, "clusters", "up") + " of " + text(status, "clusters", "all") +
        " up, " + text(status, "clusters", "pending") + " slots pending; leases " +
        text(status, "leases", "all") + "; transfers " + text(status, "transfers", "open") +
        (object_at(status, "frozen").is_null() ? "" : "; FROZEN"));
    const int64_t needs = number_at(status, "attention");
    if (!shown_.trouble.empty()) return add(shown_.trouble, "\033[31m");
    const std::string who = needs == 0
                                ? "nothing needs a person"
                                : std::to_string(needs) + " need a person: leasectl attention";
    add(who + freeze_ahead(status), needs == 0 ? "" : "\033[33m");
  }

  void leases() {
    add("");
    add(lease_title(size_.columns), "\033[7m");
    const size_t fit = leases_shown(size_);
    const size_t all = shown_.leases.size();
    const size_t end = std::min(all, shown_.first + fit);
    for (size_t i = std::min(shown_.first, all); i < end; ++i) {
      add(lease_line(shown_.leases[i], size_.columns, blocks_));
    }
    if (all == 0) add(shown_.status.is_null() ? "" : "no leases");
  }

  void decisions() {
    const size_t at = size_.lines > kDecisions + 2 ? size_.lines - kDecisions - 2 : 0;
    if (lines_.size() > at) lines_.resize(at);
    while (lines_.size() < at) add("");
    add("last decisions", "\033[7m");
    const size_t all = shown_.decisions.size();
    for (size_t i = all > kDecisions ? all - kDecisions : 0; i < all; ++i) {
      add(decision_line(shown_.decisions[i]));
    }
    while (lines_.size() + 1 < size_.lines) add("");
  }

  void keys() {
    const size_t all = shown_.leases.size();
    const size_t last = std::min(all, shown_.first + leases_shown(size_));
    const std::string place = all == 0 ? ""
                                       : "  leases " + std::to_string(shown_.first + 1) + " to " +
                                             std::to_string(last) + " of " + std::to_string(all);
    add("q quit  up, down, PgUp, PgDn, Home, End  space pause" + place, "\033[2m");
  }

  const Shown& shown_;
  const Size size_;
  const bool colour_;
  const bool blocks_;
  std::vector<std::string> lines_;
};

}  // namespace

size_t leases_shown(Size size) {
  return size.lines > kLinesAround ? size.lines - kLinesAround : 1;
}

std::vector<std::string> picture(const Shown& shown, Size size, bool colour, bool blocks) {
  return Picture(shown, size, colour, blocks).take();
}

}  // namespace leasehold::ctl
