#include "broker/ctl/client/answer_text.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "broker/views/answer.hpp"
#include "common/text/json_indent.hpp"
#include "common/text/json_text.hpp"

namespace leasehold::ctl {

namespace {

/// Returns the result of an answer in the form that a broker of this version writes; "": the form
/// is another one. A newer broker may write more after the result: the returned text is then no
/// JSON.
std::string_view result_of(std::string_view answer) {
  constexpr std::string_view kBegin = R"({"ok":true,"as_of":{"event":)";
  constexpr std::string_view kResult = R"(},"result":)";
  if (!answer.starts_with(kBegin) || !answer.ends_with('}')) return {};
  const size_t end = answer.find('}');  // of as_of: nothing, as nobody_leads, may follow it
  if (end == answer.npos || !answer.substr(end).starts_with(kResult)) return {};
  if (!is_json(std::string(answer.substr(0, end)) + "}}")) return {};
  answer.remove_suffix(1);
  return answer.substr(end + kResult.size());
}

}  // namespace

Result<Json> read_answer(const Result<std::string>& answer, std::optional<NobodyLeads>& nobody) {
  if (!answer) return tl::unexpected(answer.error());
  constexpr const char* kOther = "the answer is not one of a lease-broker of this version";
  Result<Json> read = parse_json<Json>(*answer);
  if (!read) return fail(ErrorCode::version, kOther + (": it " + read.error().message));
  if (!read->is_object() || !read->contains("ok")) return fail(ErrorCode::version, kOther);
  const auto said = read->find("nobody_leads");
  if (said != read->end() && said->is_object()) nobody = nobody_from_json(*said);
  if (flag_at(*read, "ok")) return std::move((*read)["result"]);
  return tl::unexpected(error_from_json((*read)["error"]));
}

Result<std::string> read_answer_text(const Result<std::string>& answer,
                                     std::optional<NobodyLeads>& nobody) {
  if (!answer) return answer;
  if (const std::string_view text = result_of(*answer); is_json(text)) return std::string(text);
  const Result<Json> result = read_answer(answer, nobody);
  if (!result) return tl::unexpected(result.error());
  return result->dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace leasehold::ctl
