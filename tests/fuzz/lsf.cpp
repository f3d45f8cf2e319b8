// lsf imports any text as lsb.resources or lsb.params.
#include "broker/config/load.hpp"
#include "broker/config/lsf/import.hpp"
#include "tests/fuzz/target.hpp"

namespace leasehold {

namespace {

/// A section and an #if know each minute of the week, 1260 bytes; a line of a list its places.
constexpr uint64_t kBytesEach = 16 << 10;
constexpr uint64_t kBytesAlways = 4 << 20;

/// The file that #INCLUDE finds.
constexpr std::string_view kOther =
    "Begin HostExport\nPER_HOST = a1 a2\nSLOTS = 2\nDISTRIBUTION = ([west, 1])\n"
    "End HostExport\n";

void check_imported(const Imported& imported) {
  const Loaded loaded = parse_broker_config(imported.toml, "imported.toml");
  LEASEHOLD_CHECK(loaded.ok(), "what an import writes can be loaded");
  for (const ExportPolicy& policy : loaded.core.policies) {
    LEASEHOLD_CHECK(policy.provider == "east", "policies are of the provider imported");
  }
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace leasehold;
  static const fuzz::ScratchFolder folder;
  static const std::string other = folder.write("other", kOther);
  const std::string path = folder.write("lsb.resources", fuzz::text_of({data, size}));
  const uint64_t before = fuzz::allocated_bytes();
  const Imported imported = import_lsf({path}, {"east", "UTC"});
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= kBytesAlways + kBytesEach * size,
                  "memory grows with the text");
  LEASEHOLD_CHECK(imported.errors.empty() || imported.toml.empty(), "a bad file gives nothing");
  for (const Error& error : imported.errors) {
    LEASEHOLD_CHECK(error.file != "imported.toml", "what an import writes is never its own fault");
    fuzz::check_error(error, size + kOther.size());
  }
  if (imported.errors.empty()) check_imported(imported);
  return 0;
}
