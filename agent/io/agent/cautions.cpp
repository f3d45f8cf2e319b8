#include "agent/io/agent/cautions.hpp"

#include <algorithm>

#include "common/text/printable.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kLookEveryMs = 60'000;
constexpr int64_t kReportEveryMs = 600'000;

bool is_past(int64_t since_ms, int64_t for_ms, int64_t now_ms) {
  return since_ms == INT64_MIN || now_ms - since_ms >= for_ms;
}

}  // namespace

void add_unsaid(const View& view, std::vector<std::string>& cautions) {
  std::vector<std::string> hosts;
  for (const wire::HostFacts& host : view.hosts) {
    if (host.division == wire::Division::unsaid) hosts.push_back(host.name);
  }
  if (hosts.empty()) return;
  const size_t others = hosts.size() - 1;
  cautions.push_back(
      "host " + hosts.front() +
      (others == 0 ? " is" : " and " + std::to_string(others) + " more are") +
      " lent by the slot, and this workload manager does not say whether jobs are bound to cores "
      "there: if so, or if it gives out memory or devices, write [hosts] divisible = \"no\", else "
      "\"yes\"");
}

std::vector<std::string> reported_cautions(const std::vector<std::string>& all) {
  std::vector<std::string> once;
  for (const std::string& caution : all) {
    std::string text = cut_to(printable(caution), kCautionColumnsMost);
    if (std::find(once.begin(), once.end(), text) == once.end()) once.push_back(std::move(text));
  }
  if (once.size() <= kCautionsMost) return once;
  const size_t left_out = once.size() - (kCautionsMost - 1);
  once.resize(kCautionsMost - 1);
  once.push_back(std::to_string(left_out) + " more: lease-agent --probe shows all of them");
  return once;
}

void Cautions::look(const View& view, int64_t now_ms) {
  if (!is_past(looked_ms_, kLookEveryMs, now_ms)) return;
  looked_ms_ = now_ms;
  const Result<std::vector<std::string>> of_manager = workload_.cautions();
  if (!of_manager) return;  // those of the last answer stay
  std::vector<std::string> all = of_file_;
  if (needs_host_names_) add_unsaid(view, all);
  all.insert(all.end(), of_manager->begin(), of_manager->end());
  now_ = reported_cautions(all);
}

std::optional<std::vector<std::string>> Cautions::take_for_hello(int64_t now_ms) {
  reported_ms_ = now_ms;
  reported_ = now_;
  return reported_.empty() ? std::nullopt : std::optional(reported_);
}

bool Cautions::need_hello(int64_t now_ms) const {
  return now_ != reported_ && is_past(reported_ms_, kReportEveryMs, now_ms);
}

}  // namespace leasehold::agent
