#include "broker/ctl/client/list.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "broker/ctl/client/client.hpp"
#include "broker/views/answer.hpp"
#include "common/time/clock.hpp"
#include "common/wake_fd.hpp"

namespace leasehold::ctl {

namespace {

constexpr int64_t kEachMs = 3'000;
/// After one broker says that nobody leads, the others have this time to say something else.
constexpr int64_t kNobodyMs = 500;
constexpr int64_t kBehindMs = 1'000;

Json unreachable_row(const BrokerAddress& address) {
  return {{"name", ""},        {"endpoint", address.endpoint}, {"role", "unreachable"},
          {"epoch", nullptr},  {"followed_to", nullptr},       {"lag_ms", nullptr},
          {"leader", nullptr}, {"nobody_leads", nullptr}};
}

Result<Json> ask_one(const BrokerAddress& address, int64_t timeout_ms, const Json& request,
                     int over_fd) {
  Result<BrokerClient> broker = BrokerClient::connect(address, timeout_ms, over_fd);
  if (!broker) return tl::unexpected(broker.error());
  Result<Json> rows = broker->ask(request);
  if (!rows) return rows;
  if (!rows->is_array() || rows->empty() || !rows->front().is_object()) {
    return fail(ErrorCode::version,
                "the broker at " + address.endpoint +
                    " does not answer what this leasectl asks; it is of another version");
  }
  return std::move(rows->front());
}

/// Returns the error of the first broker, which says why; for a list it adds that no other answers.
Error none_answers(Error first, size_t asked) {
  if (asked > 1) first.message += "; no other broker of the list answers either";
  return first;
}

std::optional<NobodyLeads> nobody_of(const Json& row) {
  const auto said = row.find("nobody_leads");
  if (said == row.end() || !said->is_object()) return std::nullopt;
  return nobody_from_json(*said);
}

bool leads(const Json& row) {
  const std::string role = text_at(row, "role");
  return (role == "leader" || role == "alone") && !nobody_of(row);
}

/// Exceptions are caught here, because nothing above catches them on this thread.
Result<Json> ask_guarded(const BrokerAddress& address, int64_t timeout_ms, const Json& request,
                         int over_fd) {
  try {
    return ask_one(address, timeout_ms, request, over_fd);
  } catch (const std::exception& error) {
    return fail(ErrorCode::version, "the broker at " + address.endpoint +
                                        " gave an answer that cannot be read: " + error.what());
  }
}

/// Asks all brokers of a list in parallel: one that hangs delays no other.
class Asking {
 public:
  using Answers = std::vector<std::optional<Result<Json>>>;

  Asking(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms, const Json& request)
      : answers_(addresses.size()) {
    for (size_t i = 0; i < addresses.size(); ++i) {
      threads_.emplace_back([this, &address = addresses[i], timeout_ms, &request, i] {
        Result<Json> row = ask_guarded(address, std::min(timeout_ms, kEachMs), request, over_.fd());
        const std::lock_guard lock(mutex_);
        answers_[i] = std::move(row);
        answered_.notify_all();
      });
    }
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() { leave(); }

  /// Waits until all have answered, or `enough` is true; then stops the questions that are still
  /// open.
  Answers take(const std::function<bool(const Answers&)>& enough) {
    std::unique_lock lock(mutex_);
    while (!all() && !enough(answers_)) answered_.wait_for(lock, std::chrono::milliseconds(50));
    lock.unlock();
    leave();
    return std::move(answers_);
  }

 private:
  bool all() const {
    return std::all_of(answers_.begin(), answers_.end(),
                       [](const auto& each) { return each.has_value(); });
  }
  void leave() {
    over_.wake();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  const WakeFd over_;
  std::mutex mutex_;
  std::condition_variable answered_;
  Answers answers_;
  std::vector<std::thread> threads_;
};

bool is_near(const Json& row) {
  const auto lag_ms = integer_at(row, "lag_ms");
  return text_at(row, "role") == "standby" && lag_ms && *lag_ms <= kBehindMs;
}

bool leads(const std::optional<Result<Json>>& answer) {
  return answer && *answer && leads(**answer);
}

/// Returns true if one broker leads, or one has said for a while that nobody does.
std::function<bool(const Asking::Answers&)> until_one_leads() {
  return [nobody_ms = int64_t{INT64_MAX}](const Asking::Answers& answers) mutable {
    const auto says_nobody = [](const auto& answer) {
      return answer && *answer && nobody_of(**answer);
    };
    if (std::any_of(answers.begin(), answers.end(),
                    [](const auto& answer) { return leads(answer); })) {
      return true;
    }
    const int64_t now_ms = boottime_ms();
    if (std::any_of(answers.begin(), answers.end(), says_nobody)) {
      nobody_ms = std::min(nobody_ms, now_ms);
    }
    return nobody_ms != INT64_MAX && now_ms - nobody_ms >= kNobodyMs;
  };
}

}  // namespace

BrokerRows ask_all_brokers(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms,
                           const Json& request) {
  BrokerRows result{Json::array(), std::nullopt, std::nullopt};
  bool any = false;
  bool one_leads = false;
  Asking::Answers answers =
      Asking(addresses, timeout_ms, request).take([](const auto&) { return false; });
  for (size_t i = 0; i < answers.size(); ++i) {
    Result<Json>& row = *answers[i];
    any = any || row.has_value();
    one_leads = one_leads || leads(answers[i]);
    if (row && !result.leaderless) result.leaderless = nobody_of(*row);
    if (!row && !result.nobody) result.nobody = none_answers(row.error(), addresses.size());
    result.rows.push_back(row ? *std::move(row) : unreachable_row(addresses[i]));
  }
  if (any) result.nobody.reset();
  if (one_leads) result.leaderless.reset();
  return result;
}

Result<BrokerAddress> choose_broker(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms,
                                    const Json& request) {
  if (addresses.size() == 1) return addresses.front();
  const Asking::Answers answers = Asking(addresses, timeout_ms, request).take(until_one_leads());
  const BrokerAddress* any = nullptr;
  std::optional<Error> first;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) continue;  // the answer was not waited for
    if (leads(answers[i])) return addresses[i];
    if (*answers[i] && any == nullptr) any = &addresses[i];
    if (!*answers[i] && !first) first = answers[i]->error();
  }
  if (any != nullptr) return *any;
  return tl::unexpected(none_answers(*std::move(first), addresses.size()));
}

Status check_successor(const Json& rows, const std::string& successor) {
  const auto any_is = [&rows](const char* role) {
    return std::any_of(rows.begin(), rows.end(),
                       [role](const Json& row) { return text_at(row, "role") == role; });
  };
  if (any_is("alone") && !any_is("leader")) return {};
  std::string known;
  for (const Json& row : rows) {
    const std::string name = text_at(row, "name");
    if (is_near(row) && (successor.empty() || name == successor)) return {};
    const std::string of = name.empty() ? text_at(row, "endpoint") : name;
    known += (known.empty() ? "" : ", ") + of + ": " + text_at(row, "role");
  }
  return fail(
      ErrorCode::refused,
      (successor.empty() ? std::string("no standby has")
                         : "'" + successor + "' is no standby that has") +
          " the leader's log to within a second, as far as the brokers of leasectl's list say (" +
          known +
          "); nothing was changed. Name all brokers with --broker A,B; or --force: then "
          "nobody may lead for a while");
}

}  // namespace leasehold::ctl
