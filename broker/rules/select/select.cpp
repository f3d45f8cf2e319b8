#include "broker/rules/select/select.hpp"

#include <algorithm>
#include <compare>

namespace leasehold {

namespace {

using Operator = Selection::Operator;
using Subject = Selection::Subject;
using Kind = Selection::Kind;
using Step = Selection::Step;

bool holds(Operator op, std::strong_ordering order) {
  switch (op) {
    case Operator::equal:
      return order == 0;
    case Operator::not_equal:
      return order != 0;
    case Operator::less:
      return order < 0;
    case Operator::less_equal:
      return order <= 0;
    case Operator::greater:
      return order > 0;
    case Operator::greater_equal:
      break;
  }
  return order >= 0;
}

/// Compares `whole` with `milli` thousandths, without a product that could overflow.
std::strong_ordering compare_whole(int64_t whole, int64_t milli) {
  if (whole > INT64_MAX / 1000) return std::strong_ordering::greater;
  if (whole < INT64_MIN / 1000) return std::strong_ordering::less;
  return whole * 1000 <=> milli;
}

const int64_t* number_of(const wire::HostFacts& host, const std::string& resource) {
  for (const auto& [name, value] : host.numbers_milli) {
    if (name == resource) return &value;
  }
  return nullptr;
}

/// Returns slots, mem or swap: the parser makes numbers of no other subject that is not a resource.
int64_t whole_fact(const wire::HostFacts& host, Subject subject) {
  if (subject == Subject::slots) return host.slots;
  return subject == Subject::mem ? host.mem_mb : host.swap_mb;
}

bool is_present(const Step& step, const std::string* resource, const wire::HostFacts& host) {
  if (resource == nullptr) return whole_fact(host, step.subject) != 0;
  const auto& booleans = host.booleans;
  if (std::find(booleans.begin(), booleans.end(), *resource) != booleans.end()) return true;
  const int64_t* number = number_of(host, *resource);
  return number != nullptr && *number != 0;
}

bool compares_text(const Step& step, const wire::HostFacts& host) {
  const bool any = step.subject == Subject::type && step.word == "any";
  const std::string& fact = step.subject == Subject::type ? host.type : host.model;
  return (any || fact == step.word) == (step.op == Operator::equal);
}

bool compares_number(const Step& step, const std::string* resource, const wire::HostFacts& host) {
  if (resource == nullptr) {
    return holds(step.op, compare_whole(whole_fact(host, step.subject), step.number_milli));
  }
  const int64_t* number = number_of(host, *resource);
  return number != nullptr && holds(step.op, *number <=> step.number_milli);
}

/// Returns the resource that a step asks for; null: it asks for one of the host's own facts.
const std::string* resource_of(const Step& step, const std::vector<std::string>& resources) {
  return step.subject == Subject::resource ? &resources[step.resource] : nullptr;
}

/// A stack of truth values in one word: its depth is bounded by the parser (kDepthMax).
class TruthStack {
 public:
  void push(bool value) { bits_ = (bits_ << 1U) | (value ? 1U : 0U); }
  bool top() const { return (bits_ & 1U) != 0; }
  bool pop() {
    const bool value = top();
    bits_ >>= 1U;
    return value;
  }

 private:
  uint64_t bits_ = 0;
};

}  // namespace

bool Selection::matches(const wire::HostFacts& host) const {
  TruthStack stack;
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Kind::present:
        stack.push(is_present(step, resource_of(step, resources_), host));
        break;
      case Kind::compare_text:
        stack.push(compares_text(step, host));
        break;
      case Kind::compare_number:
        stack.push(compares_number(step, resource_of(step, resources_), host));
        break;
      case Kind::negate:
        stack.push(!stack.pop());
        break;
      case Kind::both: {
        const bool right = stack.pop();
        stack.push(stack.pop() && right);
        break;
      }
      case Kind::either: {
        const bool right = stack.pop();
        stack.push(stack.pop() || right);
        break;
      }
    }
  }
  return stack.top();
}

}  // namespace leasehold
