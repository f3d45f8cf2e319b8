// Mutates answers as values: a part is left out, or becomes a value of another kind, as brokers of
// other versions may send it. Mutated bytes alone are seldom JSON. Half of the time libFuzzer's own
// mutation is used.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "broker/views/json.hpp"
#include "common/text/json_text.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace leasehold {

namespace {

constexpr std::string_view kBetween = "\n---\n";

using Random = std::mt19937;

size_t up_to(Random& random, size_t count) {
  return std::uniform_int_distribution<size_t>(0, count - 1)(random);
}

Json other_value(Random& random) {
  const Json values[] = {nullptr,
                         true,
                         7,
                         -1.5,
                         INT64_MIN,
                         INT64_MAX,
                         UINT64_MAX,
                         1e308,
                         "",
                         "text",
                         "\u001b[2J",
                         "9999-12-31T23:59:59.999Z",
                         "\xff",
                         Json::array(),
                         Json::object(),
                         Json::array({7}),
                         {{"x", Json::array()}},
                         std::string(300, 'x')};
  return values[up_to(random, std::size(values))];
}

void add_parts(Json& value, std::vector<Json*>& parts) {
  parts.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& part : value) add_parts(part, parts);
}

/// Leaves one value of a list or an object out, has it there twice, or replaces it.
void change(Json& answer, Random& random) {
  std::vector<Json*> parts;
  add_parts(answer, parts);
  Json& part = *parts[up_to(random, parts.size())];
  if (!part.is_structured() || part.empty() || up_to(random, 3) == 0) {
    part = other_value(random);
    return;
  }
  auto at = part.begin();
  std::advance(at, up_to(random, part.size()));
  if (part.is_array() && up_to(random, 2) == 0) {
    part.push_back(*at);
  } else {
    part.erase(at);
  }
}

/// Returns the input with one of its answers changed; "": that one is no JSON.
std::string with_other_shape(const std::string& input, Random& random) {
  std::vector<size_t> begins{std::min(input.find('\n'), input.size() - 1) + 1};
  for (size_t at = input.find(kBetween); at != input.npos; at = input.find(kBetween, at + 1)) {
    begins.push_back(at + kBetween.size());
  }
  const size_t begin = begins[up_to(random, begins.size())];
  const size_t end = std::min(input.find(kBetween, begin), input.size());
  Result<Json> answer = parse_json<Json>(std::string_view(input).substr(begin, end - begin));
  if (!answer) return "";
  for (size_t i = 0; i <= up_to(random, 3); ++i) change(*answer, random);
  return input.substr(0, begin) + answer->dump(-1, ' ', false, Json::error_handler_t::replace) +
         input.substr(end);
}

}  // namespace

}  // namespace leasehold

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  leasehold::Random random(seed);
  if (size == 0 || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::string other = leasehold::with_other_shape(input, random);
  if (other.empty() || other.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, other.data(), other.size());
  return other.size();
}
