// LsfClient: LSF's programs as functions: the questions to LSF and the orders. lsf.cpp decides
// which fence is set when.
#pragma once

#include <string>
#include <vector>

#include "agent/workload/lsf/needs.hpp"
#include "agent/workload/lsf/settings.hpp"
#include "agent/workload/lsf/text.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"

namespace leasehold::agent {

class LsfClient {
 public:
  LsfClient(LsfSettings settings, const AdapterSettings& adapter, Caller caller);

  Result<std::vector<LsfHost>> hosts() const;
  Result<std::vector<WorkUnit>> jobs(Instant now, LsfUnknown* unknown = nullptr) const;
  Result<LsfNeedsOfJobs> needs() const;
  Result<JobEnd> end_of(const std::string& job) const;
  Result<std::map<std::string, LsfFacts>> facts() const;

  /// Sets the job slots of a host by live reconfiguration: at once in mbatchd's memory, and in
  /// LSF_LIVE_CONFDIR, so that a restart of mbatchd keeps them.
  Status set_slots(const std::string& host, int32_t slots) const;
  Status signal(const std::string& job, const std::string& signal) const;
  /// Posts a message that `bread` shows.
  Status post(const std::string& job, const std::string& text) const;
  /// Ends the job and puts it back into its queue; an interactive one, which LSF cannot put back,
  /// ends for good. A job that is gone is no error.
  Status requeue(const std::string& job) const;
  /// Returns sentences; empty: nothing is lacking.
  std::vector<std::string> lacking() const;

 private:
  CallRequest request(std::vector<std::string> argv) const;
  Result<std::string> bjobs(const char* fields) const;
  Result<std::string> output(std::vector<std::string> argv) const;
  void live_configuration(std::vector<std::string>& lacking) const;
  void administrator(const std::string& cluster, std::vector<std::string>& lacking) const;

  LsfSettings settings_;
  int64_t timeout_ms_;
  Caller caller_;
};

}  // namespace leasehold::agent
