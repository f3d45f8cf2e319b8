#include "tests/fuzz/no_broker.hpp"

#include <nlohmann/json.hpp>

#include "broker/ctl/client/answer_text.hpp"
#include "broker/ctl/client/client.hpp"
#include "broker/ctl/terminal.hpp"
#include "broker/replay/lookup.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/sqlite/database_check.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace fuzz {

namespace {

std::vector<std::string> prepared;
size_t next_answer = 0;
size_t width = 0;

Result<std::string> take_answer() {
  if (next_answer < prepared.size()) return prepared[next_answer++];
  return fail(ErrorCode::unreachable, "no answer");
}

}  // namespace

void set_answers(std::vector<std::string> answers, size_t columns) {
  prepared = std::move(answers);
  next_answer = 0;
  width = columns;
}

}  // namespace fuzz

namespace ctl {

struct BrokerClient::Line {
  std::optional<NobodyLeads> nobody;
};

BrokerClient::BrokerClient(std::unique_ptr<Line> line) : line_(std::move(line)) {}
BrokerClient::BrokerClient(BrokerClient&&) noexcept = default;
BrokerClient::~BrokerClient() = default;

Result<BrokerClient> BrokerClient::connect(const BrokerAddress&, int64_t, int) {
  return BrokerClient(std::make_unique<Line>());
}

Result<Json> BrokerClient::ask(const Json& request) {
  return read_answer(exchange(request), line_->nobody);
}

Result<std::string> BrokerClient::ask_text(const Json& request) {
  return read_answer_text(exchange(request), line_->nobody);
}

Result<std::string> BrokerClient::exchange(const Json&) {
  line_->nobody.reset();
  return fuzz::take_answer();
}

const std::optional<NobodyLeads>& BrokerClient::nobody() const {
  return line_->nobody;
}

void pause_before_asking(int64_t) {}

size_t terminal_width() {
  return fuzz::width;
}

bool wants_colour(std::string_view when) {
  return when == "always";
}

}  // namespace ctl

Result<Json> look_up(const std::string&, const Request&, int64_t) {
  LEASEHOLD_CHECK(false, "no database is asked");
  return Json();
}

Result<CheckedDatabase> check_database(const std::string&, int64_t) {
  LEASEHOLD_CHECK(false, "no database is checked");
  return CheckedDatabase{};
}

Result<VerifyReport> verify_database(const std::string&) {
  LEASEHOLD_CHECK(false, "no database is verified");
  return VerifyReport{};
}

int64_t VerifyReport::judged() const {
  return 0;
}

std::string describe(const Difference&) {
  return "";
}

}  // namespace leasehold
