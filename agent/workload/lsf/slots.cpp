#include "agent/workload/lsf/slots.hpp"

#include "agent/workload/support/durable_file.hpp"
#include "agent/workload/support/json_answer.hpp"
#include "agent/workload/support/kept_text.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kSlotsMost = 1'000'000;

tl::unexpected<Error> failed(const std::string& path, const std::string& what) {
  return fail(ErrorCode::io, "the file " + path + " of LSF's job slots " + what);
}

std::string text_of(const LsfSlots::Hosts& hosts) {
  std::string rows;
  for (const auto& [host, slots] : hosts) {  // names of LSF's hosts need no quoting
    rows += (rows.empty() ? "" : ",") + ("{\"host\":\"" + host) +
            "\",\"slots\":" + std::to_string(slots) + "}";
  }
  return "{\"version\":1,\"hosts\":[" + rows + "]}\n";
}

}  // namespace

Result<LsfSlots> LsfSlots::open(const std::string& path, bool read_only) {
  LsfSlots notes;
  notes.path_ = path;
  notes.read_only_ = read_only;
  const Result<std::optional<std::string>> text = read_kept_text(path);
  if (!text) return failed(path, text.error().message);
  if (!*text) return notes;
  const auto read_all = [&](JsonObject& all) {
    all.integer("version", 1, 1);
    all.objects("hosts", [&](JsonObject& row) {
      const std::string host = row.text("host");
      notes.hosts_[host] = static_cast<int32_t>(row.integer("slots", 0, kSlotsMost));
    });
  };
  if (const Status read = JsonObject::parse(**text, read_all, "the file"); !read) {
    return failed(path, "cannot be read: " + read.error().message +
                            "; put a copy back, or remove it: then the slots that hosts have now "
                            "count as the administrator's");
  }
  return notes;
}

std::optional<int32_t> LsfSlots::find(const std::string& host) const {
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? std::nullopt : std::optional(found->second);
}

Status LsfSlots::put(Hosts hosts) {
  if (hosts == hosts_) return {};
  if (read_only_) return failed(path_, "is not written by --probe");
  if (const Status written = replace_file(path_, text_of(hosts)); !written) {
    return failed(path_, written.error().message);
  }
  hosts_ = std::move(hosts);
  return {};
}

}  // namespace leasehold::agent
