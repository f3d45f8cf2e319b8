// A what-if: a site's own history under another rule, delay, plan or anti-flap setting, beside what
// happened. It is an estimate: what each side wanted is taken from the record (used + pending at
// each instant), what it would have got is decided by the broker's own core. README.md says what is
// assumed; every answer prints it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/lab/what_if/moment.hpp"
#include "broker/lab/what_if/outcome.hpp"
#include "broker/lab/what_if/settings.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

struct WhatIfOptions {
  std::string database;
  WhatIfSettings settings;
  std::optional<Instant> since;
  std::optional<Instant> until;
  /// The time that work goes on on a slot that is asked back without a grace.
  int64_t run_time_ms = 3'600'000;
  size_t stretches = 240;  // of the course over time
  /// Called now and then; may be empty.
  std::function<void(int64_t done, int64_t total)> progress;
};

struct WhatIfAnswer {
  Instant from;
  Instant to;
  int64_t events = 0;
  SiteOutcome happened;
  // The recorded settings through the same model: they show how far to trust it.
  SiteOutcome modelled;
  SiteOutcome what_if;
  std::vector<std::string> settings;
  std::vector<std::string> assumed;
  RecordedShapes shapes;  // how much of the waiting work has recorded shapes
};

/// Error (usage): settings that do not fit this history. Reads one consistent view, also while a
/// broker writes.
Result<WhatIfAnswer> what_if(const WhatIfOptions& options);

Json what_if_json(const WhatIfAnswer& answer);
std::string what_if_text(const WhatIfAnswer& answer);
/// Returns a picture as SVG: slots at the consumers, and slots waited for.
std::string what_if_plot(const WhatIfAnswer& answer);

}  // namespace leasehold
