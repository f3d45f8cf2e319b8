// The part of answers.hpp that reads one job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/work/work_unit.hpp"
#include "agent/workload/support/json_answer.hpp"

namespace leasehold::agent {

// The limits of what a program may report.
inline constexpr int32_t kCommandSlotsMost = 1'000'000;
inline constexpr int64_t kCommandNumberMost = 1'000'000'000;
inline constexpr int64_t kCommandTimeMostMs = int64_t{1} << 50;

/// Reads a row of `jobs`. `unknown` gets a sentence for an unknown word; the job is kept back.
WorkUnit read_unit(JsonObject& row, std::vector<std::string>& unknown);

}  // namespace leasehold::agent
