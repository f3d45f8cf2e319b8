// Reads one window of TOML: { days = ["sat", "sun"], from = "00:00", to = "24:00" }.
#pragma once

#include <optional>

#include "broker/core/model/config.hpp"
#include "common/config/file.hpp"

namespace leasehold {

/// Days in ascending order; all seven are none. nullopt: an error was added.
std::optional<WeekWindow> read_window(const ConfigTable& table);

}  // namespace leasehold
