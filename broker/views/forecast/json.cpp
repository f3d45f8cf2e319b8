// Writes a forecast as JSON, and as a sentence.
#include "broker/views/explain/waiting.hpp"
#include "broker/views/forecast/forecast.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::forecasting {

namespace {

using rows::count_of;

Json premise_json(const Premise& premise) {
  return {{"basis", token(premise.basis)},
          {"slots", premise.slots == 0 ? Json(nullptr) : Json(premise.slots)},
          {"sentence", premise.sentence}};
}

Json premises_json(const std::vector<Premise>& premises) {
  Json list = Json::array();
  for (const Premise& premise : premises) list.push_back(premise_json(premise));
  return list;
}

Json moment_json(const Moment& moment) {
  return {{"at", moment.at ? rows::time(*moment.at) : Json(nullptr)},
          {"rests_on", premises_json(moment.rests_on)}};
}

std::string in_words(Instant at, Instant now) {
  if (at <= now) return "now";
  const int64_t ms = at - now;
  constexpr int64_t kMinuteMs = 60'000;
  const int64_t unit = ms < 10 * kMinuteMs        ? 1'000
                       : ms < 48 * 60 * kMinuteMs ? kMinuteMs
                                                  : 3'600'000;
  return "in " + format_duration((ms + unit - 1) / unit * unit);
}

std::string sentence_of(const Forecast& forecast) {
  const std::string what =
      (forecast.like ? explanation::wants_of(*forecast.like) : count_of(forecast.slots, "slot")) +
      " at " + forecast.cluster;
  if (!forecast.obstacle.empty()) return what + " can never be had: " + forecast.obstacle;
  if (!forecast.possible) {
    return what + " can never be had: " + forecast.id + " has " + std::to_string(forecast.most) +
           " at the most";
  }
  if (!forecast.idle) return "when " + what + " can be had is not known";
  const auto& [early, likely, late] = forecast.times;
  if (late.at && *late.at <= forecast.now) return what + " can be had now";
  if (!early.at) return "nothing says when " + what + " can be had";
  const std::string sooner =
      what + " can be had " + in_words(*early.at, forecast.now) + " at the earliest";
  const std::string mostly =
      likely.at ? ", " + in_words(*likely.at, forecast.now) + " most likely" : "";
  return sooner + mostly +
         (late.at ? ", " + in_words(*late.at, forecast.now) + " at the latest"
                  : "; nothing says when at the latest");
}

Json forecast_json(const Forecast& forecast) {
  Json answer;
  answer["id"] = forecast.id;
  answer["kind"] = forecast.of_plan ? "consumer" : "lease";
  answer["side"] = forecast.provider_side ? "provider" : "consumer";
  answer["cluster"] = forecast.cluster;
  answer["slots"] = forecast.slots;
  answer["time"] = rows::time(forecast.now);
  answer["sentence"] = sentence_of(forecast);
  answer["possible"] = forecast.possible;
  answer["most"] = forecast.most;
  answer["idle"] = forecast.idle ? Json(*forecast.idle) : Json(nullptr);
  answer["earliest"] = moment_json(forecast.times[0]);
  answer["likely"] = moment_json(forecast.times[1]);
  answer["latest"] = moment_json(forecast.times[2]);
  answer["holds"] = premises_json(forecast.holds);
  answer["ending_reported"] = forecast.ending_reported;
  answer["error_milli"] = forecast.error_milli < 0 ? Json(nullptr) : Json(forecast.error_milli);
  return answer;
}

}  // namespace

Result<Json> view_forecast(const State& state, const Question& question) {
  if (question.id.empty()) {
    return fail(ErrorCode::usage,
                "nothing is named; it would be a lease, a consumer's /path or a cluster");
  }
  if (question.slots < 1 || question.slots > kMostSlots) {
    return fail(ErrorCode::usage, "--slots: a whole number from 1 to " +
                                      std::to_string(kMostSlots) + " would be right");
  }
  const Result<Forecast> found = forecast(state, question);
  if (!found) return tl::unexpected(found.error());
  return forecast_json(*found);
}

}  // namespace leasehold::forecasting
