#include "agent/core/work/work_session.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "agent/core/work/signals.hpp"
#include "common/canary.hpp"

namespace leasehold::agent {

namespace {

constexpr std::string_view kMark = "leasehold:";

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool among(const std::string& wanted, std::string_view list, std::string_view separators) {
  if (wanted.empty()) return true;
  const auto words = split(list, separators);
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

bool matches(const SessionMatch& match, const WorkUnit& unit) {
  return among(match.partition, unit.partition, ",") &&
         (match.qos.empty() || match.qos == unit.qos) &&
         (match.account.empty() || match.account == unit.account) &&
         among(match.comment, unit.comment, " \t;");
}

std::string group_of(const SessionType& type, const WorkUnit& unit) {
  switch (type.session) {
    case SessionOf::user:
      return "user " + unit.user;
    case SessionOf::account:
      return "account " + unit.account;
    case SessionOf::job:
      return "job " + unit.id;
  }
  return "";  // GCOVR_EXCL_LINE every value of the enum returned above
}

/// Types that match differently make different sessions of the same user.
std::string key_of(const SessionType& type, const WorkUnit& unit) {
  std::string key = group_of(type, unit);
  const auto add = [&key](const char* name, const std::string& value) {
    if (!value.empty()) key += std::string(", ") + name + "=" + value;
  };
  add("partition", type.match.partition);
  add("qos", type.match.qos);
  add("account", type.match.account);
  add("comment", type.match.comment);
  return key;
}

Error wrong(std::string_view word, const std::string& right) {
  return {ErrorCode::usage,
          "'" + std::string(word) + "' is not understood; right would be " + right, "", 0, 0};
}

Result<int32_t> read_rank(std::string_view word) {
  const std::string_view digits = word.substr(word.find('=') + 1);
  int32_t rank = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || rank < 1 ||
      rank > kRankMax) {
    return tl::unexpected(wrong(word, "a rank from 1 to 10000, as in rank=20"));
  }
  return rank;
}

Result<std::string> read_signal(std::string_view word) {
  const std::string name = signal_name(std::string(word.substr(word.find('=') + 1)));
  if (is_warning_signal(name)) return name;
  return tl::unexpected(wrong(word, "a signal that warns, as in signal=USR1"));
}

/// False: the words ask for more than is allowed, and that is left out.
bool take_words(const CommentWords& words, JobComments comments, WorkSession& session) {
  const bool any = comments == JobComments::any;
  const bool lower = comments == JobComments::lower;
  bool all_taken = true;
  if (words.rank) {
    const bool takes = any || (lower && *words.rank <= session.rank);
    if (takes) session.rank = *words.rank;
    all_taken = takes;
  }
  if (words.preemptive) {
    const bool takes = any || (lower && !*words.preemptive);
    if (takes) session.preemptive = *words.preemptive;
    all_taken = all_taken && takes;
  }
  return all_taken;
}

/// The first look at a session: `oldest` is its oldest job.
WorkSession first_seen(const SessionType& type, const WorkUnit& oldest, std::string key,
                       JobComments comments, WorkSessions& noted) {
  WorkSession session;
  session.key = std::move(key);
  session.rank = type.preemption_rank;
  session.priority = type.priority;
  session.preemptive = type.preemptive;
  session.min_slots = type.min_slots;
  session.exclusive_host = type.exclusive_host;
  session.started = oldest.submitted;
  const Result<CommentWords> words = read_comment(oldest.comment);
  if (!words) {
    noted.problems.push_back("comment of job " + oldest.id + ": " + words.error().message);
    return session;
  }
  if (!take_words(*words, comments, session)) noted.comments_left_out = true;
  return session;
}

std::vector<size_t> oldest_first(std::span<const WorkUnit> units) {
  std::vector<size_t> order(units.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [units](size_t a, size_t b) {
    return std::tie(units[a].submitted, units[a].id) < std::tie(units[b].submitted, units[b].id);
  });
  return order;
}

void count(WorkSession& session, const WorkUnit& unit) {
  if (unit.kept_back() && !LEASEHOLD_CANARY(ignores_verdicts)) return;
  (unit.running() ? session.allocated : session.pending) += unit.slots;
}

}  // namespace

Result<CommentWords> read_comment(const std::string& comment) {
  CommentWords said;
  for (const std::string_view word : split(comment, " \t;")) {
    if (!word.starts_with(kMark)) continue;
    for (const std::string_view part : split(word.substr(kMark.size()), ",")) {
      if (part == "preemptive" || part == "preemptive=true") {
        said.preemptive = true;
      } else if (part == "preemptive=false") {
        said.preemptive = false;
      } else if (part.starts_with("rank=")) {
        const Result<int32_t> rank = read_rank(part);
        if (!rank) return tl::unexpected(rank.error());
        said.rank = *rank;
      } else if (part.starts_with("signal=")) {
        Result<std::string> signal = read_signal(part);
        if (!signal) return tl::unexpected(signal.error());
        said.signal = *std::move(signal);
      } else {
        return tl::unexpected(wrong(part, "leasehold:rank=20,preemptive"));
      }
    }
  }
  return said;
}

std::optional<size_t> type_of(const WorkUnit& unit, std::span<const SessionType> types) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (matches(types[i].match, unit)) return i;
  }
  return std::nullopt;
}

WorkSessions note_sessions(std::span<const WorkSession> known, std::span<const WorkUnit> units,
                           std::span<const SessionType> types, JobComments comments) {
  std::map<std::string, WorkSession> found;
  std::map<std::string, const WorkSession*> before;
  for (const WorkSession& session : known) before.emplace(session.key, &session);
  static const SessionType kUsual;
  WorkSessions noted;
  std::vector<std::string> keys(units.size());
  for (const size_t i : oldest_first(units)) {
    const std::optional<size_t> matching = type_of(units[i], types);
    const SessionType& type = matching ? types[*matching] : kUsual;
    keys[i] = key_of(type, units[i]);
    if (!found.contains(keys[i])) {
      const auto old = before.find(keys[i]);
      WorkSession& session = found[keys[i]];
      if (old == before.end()) {
        session = first_seen(type, units[i], keys[i], comments, noted);
      } else {
        session = *old->second;
      }
      session.allocated = session.pending = session.deserved = 0;
    }
    count(found.at(keys[i]), units[i]);
  }
  std::map<std::string, size_t> position;
  for (auto& [key, session] : found) {
    position.emplace(key, noted.all.size());
    noted.all.push_back(std::move(session));
  }
  for (const std::string& key : keys) noted.of_unit.push_back(position.at(key));
  return noted;
}

std::string signal_for(const WorkUnit& unit, const std::string& configured) {
  const Result<CommentWords> words = read_comment(unit.comment);
  if (words && words->signal) return *words->signal;
  return is_harmless(configured) || LEASEHOLD_CANARY(interrupt_kills) ? configured : "";
}

}  // namespace leasehold::agent
