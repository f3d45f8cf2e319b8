#include "agent/io/by_hand/release.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "agent/core/limits/book_use.hpp"
#include "agent/io/by_hand/shown_json.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::ordered_json;

struct LeasedSlots {
  std::string lease;
  std::string peer;
  std::string host;
  int32_t slots = 0;
};

/// Lists slots of our hosts that we do not hold, whoever holds them.
std::vector<LeasedSlots> lent(const Book& book) {
  std::vector<LeasedSlots> rows;
  for (const LeasedGroup& group : book.groups()) {
    if (group.limits.role != wire::Role::provider) continue;
    for (size_t i = 0; i < group.limits.hosts.size() && i < group.places.size(); ++i) {
      const HostLimit& host = group.limits.hosts[i];
      const int32_t slots = std::max(0, host.exported - host.limit);
      if (slots > 0) {
        rows.push_back({group.configured.lease, group.configured.peer, group.places[i], slots});
      }
    }
  }
  return rows;
}

/// Lists slots of others' hosts that work here still uses.
std::vector<LeasedSlots> borrowed(const Book& book, const View& view) {
  std::vector<LeasedSlots> rows;
  const std::vector<GroupUse> use = use_of(book, view);
  for (size_t g = 0; g < book.groups().size(); ++g) {
    const LeasedGroup& group = book.groups()[g];
    if (group.limits.role != wire::Role::consumer) continue;
    for (size_t i = 0; i < group.places.size(); ++i) {
      if (use[g].used[i] > 0) {
        rows.push_back(
            {group.configured.lease, group.configured.peer, group.places[i], use[g].used[i]});
      }
    }
  }
  return rows;
}

ordered_json json_of(const std::vector<LeasedSlots>& rows) {
  ordered_json list = ordered_json::array();
  for (const LeasedSlots& row : rows) {
    list.push_back({{"lease", row.lease.empty() ? ordered_json() : ordered_json(row.lease)},
                    {"peer", row.peer.empty() ? ordered_json() : ordered_json(row.peer)},
                    {"host", row.host},
                    {"slots", row.slots}});
  }
  return list;
}

std::string lines_of(const std::string& title, const std::vector<LeasedSlots>& rows) {
  if (rows.empty()) return {};
  std::string text = title;
  for (const LeasedSlots& row : rows) {
    text += "\n  " + row.host + ": " + std::to_string(row.slots) + " (" +
            (row.peer.empty() ? "cluster not known, because the state file is lost"
                              : row.peer + ", lease " + row.lease) +
            ")";
  }
  return "\n" + text;
}

struct Outcome {
  bool done = true;  // false: refused, nothing was changed
  std::vector<HostCap> released;
  std::vector<std::string> kept;
  std::vector<std::string> stays;  // in the workload manager, with the reason
  std::vector<LeasedSlots> lent;
  std::vector<LeasedSlots> borrowed;
};

std::string json_text(const std::string& cluster, const Outcome& outcome) {
  ordered_json released = ordered_json::array();
  for (const HostCap& cap : outcome.released) {
    released.push_back({{"host", cap.host}, {"imported", cap.imported}});
  }
  return shown_json({{"cluster", cluster},
                     {"done", outcome.done},
                     {"released", released},
                     {"not_released", outcome.kept},
                     {"stays", outcome.stays},
                     {"others_may_use", json_of(outcome.lent)},
                     {"still_used_here", json_of(outcome.borrowed)}},
                    2);
}

/// Says which leased slots would be used by two sides, and which option removes the fences all the
/// same.
std::string refused_text(const std::string& cluster, const Outcome& outcome) {
  return cluster + ": nothing was changed, leased slots are in use or may be" +
         lines_of(
             "Slots that others may still use, and that the scheduler here would use too (end "
             "their "
             "leases at the broker first: leasectl drain " +
                 cluster + " --provider --wait):",
             outcome.lent) +
         lines_of("Slots of others that jobs here still use:", outcome.borrowed) +
         "\nlease-agent --release --force removes the fences all the same: both sides may then use "
         "these slots.";
}

std::string plain_text(const std::string& cluster, const Outcome& outcome) {
  if (!outcome.done) return refused_text(cluster, outcome);
  std::string text = cluster + ": " + std::to_string(outcome.released.size()) + " fences removed";
  for (const HostCap& cap : outcome.released) {
    text += "\n  " + cap.host +
            (cap.imported ? ": closed" : ": all its slots are free for this cluster");
  }
  for (const std::string& host : outcome.kept) {
    text += "\n  " + host + ": KEPT, the workload manager does not show the host";
  }
  for (const std::string& sentence : outcome.stays) text += "\n  STAYS: " + sentence;
  text += lines_of(
      "Slots that others may still use, and that the scheduler here uses too from now "
      "on (end their leases at the broker first, or keep them free):",
      outcome.lent);
  text += lines_of("Slots of others that jobs here still use, until they end:", outcome.borrowed);
  return text + "\nAn agent that is started again fences them again.";
}

/// Opens the state so that nobody else may enforce meanwhile. A state that does not exist locks
/// nobody out and is not made.
Result<StateFile> locked_state(const std::string& path) {
  std::error_code unknown;  // set if nobody can tell: opening the file then gives the error
  const bool there = std::filesystem::exists(path, unknown) || unknown;
  Result<StateFile> file = StateFile::open(path, !there);
  if (file) return file;
  Error error = file.error();
  error.message += "; to release, stop the agent first (systemctl stop lease-agent)";
  error.code = ErrorCode::refused;
  return tl::unexpected(std::move(error));
}

/// Reads both sides of a lease: the second look asks for the imported hosts.
Result<View> whole_view(Workload& workload, const SavedState& saved, const HostNames& names,
                        std::optional<Book>& book) {
  const Result<View> first = workload.read({});
  if (!first) return tl::unexpected(first.error());
  book = known_groups(saved, names, *first);
  return workload.read(book->imported_hosts());
}

/// Waits until the removal has taken effect, looks again, and fails if a removed fence is still
/// there.
Status check_gone(Workload& workload, const Book& book, std::span<const HostCap> released) {
  std::this_thread::sleep_for(std::chrono::milliseconds(workload.traits().settle_ms));
  const Result<View> view = workload.read(book.imported_hosts());
  if (!view) return tl::unexpected(view.error());
  for (const HostCap& cap : view->caps) {
    for (const HostCap& gone : released) {
      if (cap.host == gone.host) {
        return fail(ErrorCode::refused,
                    "the fence of " + cap.host + " is still there after its removal");
      }
    }
  }
  return {};
}

}  // namespace

Book known_groups(const SavedState& saved, const HostNames& names, const View& view) {
  Book book(names);
  if (!saved.lost) book.restore(saved.configuration, saved.limits, view.hosts);
  if (saved.lost) book.adopt_fences(view.caps);
  return book;
}

std::vector<HostCap> removals(const View& view, std::vector<std::string>& kept) {
  std::vector<HostCap> caps;
  for (const HostCap& cap : view.caps) {
    const auto own =
        std::find_if(view.hosts.begin(), view.hosts.end(),
                     [&cap](const wire::HostFacts& host) { return host.name == cap.host; });
    if (!cap.imported && own == view.hosts.end()) {
      kept.push_back(cap.host);
      continue;
    }
    const int32_t slots = cap.imported ? 0 : own->slots;
    caps.push_back({cap.host, cap.imported, slots, slots, 0, 0, {}, 0});
  }
  return caps;
}

namespace {

Found found_of(const Settings& settings, const Outcome& outcome, bool as_json) {
  const std::string& cluster = settings.agent.cluster;
  return {as_json ? json_text(cluster, outcome) : plain_text(cluster, outcome),
          !outcome.done || !outcome.kept.empty()};
}

}  // namespace

Result<Found> release(const Settings& settings, bool as_json, bool force) {
  Result<StateFile> file = locked_state(settings.state);
  if (!file) return tl::unexpected(file.error());
  const Result<SavedState> saved = file->load();
  if (!saved) return tl::unexpected(saved.error());
  auto workload = open_workload(settings.workload);
  if (!workload) return tl::unexpected(workload.error());
  std::optional<Book> book;
  const Result<View> view = whole_view(**workload, *saved, settings.agent.names, book);
  if (!view) return tl::unexpected(view.error());
  Outcome outcome;
  outcome.lent = lent(*book);
  outcome.borrowed = borrowed(*book, *view);
  outcome.done = force || (outcome.lent.empty() && outcome.borrowed.empty());
  if (!outcome.done) return found_of(settings, outcome, as_json);
  outcome.released = removals(*view, outcome.kept);
  if (!outcome.released.empty()) {
    if (const Status done = (*workload)->enforce(outcome.released); !done) {
      return tl::unexpected(done.error());
    }
  }
  if ((*workload)->traits().fences.resources) {
    if (const Status done = (*workload)->fence_resources({}); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (const Status gone = check_gone(**workload, *book, outcome.released); !gone) {
    return tl::unexpected(gone.error());
  }
  Result<std::vector<std::string>> stays = (*workload)->leave();
  if (!stays) return tl::unexpected(stays.error());
  outcome.stays = *std::move(stays);
  return found_of(settings, outcome, as_json);
}

}  // namespace leasehold::agent
