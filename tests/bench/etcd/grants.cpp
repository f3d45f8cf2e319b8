// bench_etcd: lease grants that an etcd keeps durable, by so many clients at once, each with one
// grant under way. The other side of beside.py.
//
//   bench_etcd ENDPOINT CLIENTS SECONDS
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lease.grpc.pb.h"

namespace {

constexpr size_t kChannels = 8;
constexpr std::chrono::milliseconds kWarmUp{500};
constexpr std::chrono::milliseconds kLook{10};

/// Nobody asks for them again: they outlive the bench.
constexpr int64_t kTtlS = 3600;

class Grants {
 public:
  explicit Grants(const std::string& endpoint) {
    for (size_t i = 0; i < kChannels; ++i) {
      grpc::ChannelArguments own;
      own.SetInt("leasehold.channel", static_cast<int>(i));  // else all share one connection
      stubs_.push_back(etcdserverpb::Lease::NewStub(
          grpc::CreateCustomChannel(endpoint, grpc::InsecureChannelCredentials(), own)));
    }
  }
  void run(size_t client) {
    while (!ended_) {
      grpc::ClientContext context;
      etcdserverpb::LeaseGrantRequest request;
      etcdserverpb::LeaseGrantResponse answer;
      request.set_ttl(kTtlS);
      const grpc::Status done = stubs_[client % kChannels]->LeaseGrant(&context, request, &answer);
      if (!done.ok() || !answer.error().empty()) {
        std::fprintf(stderr, "bench_etcd: %s%s\n", done.error_message().c_str(),
                     answer.error().c_str());
        failed_ = ended_ = true;
      }
      ++granted_;
    }
  }
  int64_t granted() const { return granted_; }
  bool failed() const { return failed_; }
  void end() { ended_ = true; }

 private:
  std::vector<std::unique_ptr<etcdserverpb::Lease::Stub>> stubs_;
  std::atomic<int64_t> granted_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_etcd ENDPOINT CLIENTS SECONDS\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  Grants grants(argv[1]);
  std::vector<std::thread> clients;
  for (size_t i = 0; i < std::strtoul(argv[2], nullptr, 10); ++i) {
    clients.emplace_back([&grants, i] { grants.run(i); });
  }
  // It elects itself first.
  while (grants.granted() == 0 && !grants.failed()) std::this_thread::sleep_for(kLook);
  std::this_thread::sleep_for(kWarmUp);
  const int64_t before = grants.granted();
  const Clock::time_point begin = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(argv[3])));
  while (grants.granted() == before && !grants.failed()) std::this_thread::sleep_for(kLook);
  const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
  const double granted = static_cast<double>(grants.granted() - before);
  grants.end();
  for (std::thread& client : clients) client.join();
  std::printf("{\"bench\":\"etcd_lease_grants\",\"clients\":%zu,\"per_s\":%.0f}\n", clients.size(),
              granted / passed);
  return grants.failed() ? 1 : 0;
}
