// The part of answers.hpp that reads one job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/reclaim/work_unit.hpp"
#include "agent/workload/support/json_answer.hpp"

namespace leasehold::agent {

// No program may tell more.
inline constexpr int32_t kCommandSlotsMost = 1'000'000;
inline constexpr int64_t kCommandNumberMost = 1'000'000'000;
inline constexpr int64_t kCommandTimeMostMs = int64_t{1} << 50;

/// A row of `jobs`. `unknown`: gets a sentence for a word that is not known; the job is kept back.
WorkUnit read_unit(JsonObject& row, std::vector<std::string>& unknown);

}  // namespace leasehold::agent
