// toml reads any text as the broker's configuration, or as the agent's where it looks like one.
#include "agent/io/settings/settings.hpp"
#include "broker/config/load.hpp"
#include "broker/config/windows.hpp"
#include "tests/fuzz/target.hpp"

namespace leasehold {

namespace {

/// A node of toml++ takes some hundred bytes, an unknown key is compared with all known ones.
constexpr uint64_t kBytesEach = 16 << 10;
constexpr uint64_t kBytesAlways = 1 << 20;

constexpr Instant kNow{1'795'284'000'000};

void check_errors(const std::vector<Error>& errors, const std::string& file, size_t bytes) {
  for (const Error& error : errors) {
    // Files that it names are not there, or of another length.
    if (error.file == file) fuzz::check_error(error, bytes);
    LEASEHOLD_CHECK(error.code == ErrorCode::usage, "a bad file is bad usage");
    LEASEHOLD_CHECK(!error.file.empty(), "an error names its file");
  }
}

void check_windows(const BrokerConfig& config) {
  const ResolvedWindows windows = resolve_windows(config, kNow);
  for (const auto& policy : windows.policies) {
    const Interval* before = nullptr;
    for (const Interval& open : policy.open) {
      LEASEHOLD_CHECK(open.from < open.to, "a window is not empty");
      LEASEHOLD_CHECK(before == nullptr || before->to < open.from, "windows ascend, apart");
      before = &open;
    }
  }
}

void check_broker(std::string_view text) {
  const std::string name = "/folder-that-is-not-there/broker.toml";
  const Loaded loaded = parse_broker_config(text, name);
  check_errors(loaded.errors, name, text.size());
  check_errors(loaded.warnings, name, text.size());
  if (loaded.ok()) check_windows(loaded.core);
}

void check_agent(std::string_view text) {
  static const fuzz::ScratchFolder folder;
  const std::string path = folder.write("agent.toml", text);
  const agent::ReadSettings read = agent::read_settings(path);
  check_errors(read.errors, path, text.size());
  check_errors(read.warnings, path, text.size());
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace leasehold;
  const uint64_t before = fuzz::allocated_bytes();
  const std::string_view text = fuzz::text_of({data, size});
  const bool of_agent = text.find("[agent") != text.npos || text.find("workload") != text.npos;
  of_agent ? check_agent(text) : check_broker(text);
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= kBytesAlways + kBytesEach * size,
                  "memory grows with the text");
  return 0;
}
