#include "broker/ctl/client/list.hpp"

#include <algorithm>

#include "broker/ctl/client/client.hpp"
#include "broker/views/answer.hpp"

namespace leasehold::ctl {

namespace {

/// One that hangs must not keep the others from being asked.
constexpr int64_t kEachMs = 3'000;
constexpr int64_t kBehindMs = 1'000;

Json unreachable_row(const BrokerAddress& address) {
  return {{"name", ""},       {"endpoint", address.endpoint}, {"role", "unreachable"},
          {"epoch", nullptr}, {"followed_to", nullptr},       {"lag_ms", nullptr},
          {"leader", nullptr}};
}

Result<Json> ask_one(const BrokerAddress& address, int64_t timeout_ms, const Json& request) {
  Result<BrokerClient> broker = BrokerClient::connect(address, timeout_ms);
  if (!broker) return tl::unexpected(broker.error());
  Result<Json> rows = broker->ask(request);
  if (!rows) return rows;
  if (!rows->is_array() || rows->empty() || !rows->front().is_object()) {
    return fail(ErrorCode::version, "the broker at " + address.endpoint +
                                        " does not tell of itself; it is of another version");
  }
  return std::move(rows->front());
}

/// Of one that is asked, and of a list none of which answers; the first tells why.
Error none_answers(Error first, size_t asked) {
  if (asked > 1) first.message += "; nor does any other of the list";
  return first;
}

bool leads(const Json& row) {
  const std::string role = text_at(row, "role");
  return role == "leader" || role == "alone";
}

bool is_near(const Json& row) {
  const auto lag_ms = integer_at(row, "lag_ms");
  return text_at(row, "role") == "standby" && lag_ms && *lag_ms <= kBehindMs;
}

}  // namespace

Standings standings(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms,
                    const Json& request) {
  Standings told{Json::array(), std::nullopt};
  bool any = false;
  for (const BrokerAddress& address : addresses) {
    Result<Json> row = ask_one(address, std::min(timeout_ms, kEachMs), request);
    any = any || row.has_value();
    if (!row && !told.nobody) told.nobody = none_answers(row.error(), addresses.size());
    told.rows.push_back(row ? *std::move(row) : unreachable_row(address));
  }
  if (any) told.nobody.reset();
  return told;
}

Result<BrokerAddress> choose_broker(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms,
                                    const Json& request) {
  if (addresses.size() == 1) return addresses.front();
  const BrokerAddress* answers = nullptr;
  std::optional<Error> first;
  for (const BrokerAddress& address : addresses) {
    const Result<Json> row = ask_one(address, std::min(timeout_ms, kEachMs), request);
    if (row && leads(*row)) return address;
    if (row && answers == nullptr) answers = &address;
    if (!row && !first) first = row.error();
  }
  if (answers != nullptr) return *answers;
  return tl::unexpected(none_answers(*std::move(first), addresses.size()));
}

Status check_successor(const Json& rows, const std::string& successor) {
  std::string known;
  for (const Json& row : rows) {
    const std::string name = text_at(row, "name");
    if (is_near(row) && (successor.empty() || name == successor)) return {};
    const std::string of = name.empty() ? text_at(row, "endpoint") : name;
    known += (known.empty() ? "" : ", ") + of + ": " + text_at(row, "role");
  }
  return fail(ErrorCode::refused,
              (successor.empty() ? std::string("no broker stands by")
                                 : "'" + successor + "' does not stand by") +
                  " within a second of the log's end, as far as leasectl's list tells (" + known +
                  "); nothing was changed. Name all brokers with --broker A,B; or --force: then "
                  "nobody may lead for a while");
}

}  // namespace leasehold::ctl
