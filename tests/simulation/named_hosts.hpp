// NamedHosts: the hosts of a workload manager that knows them by names of its own, as Slurm, Grid
// Engine and LSF do; some are hosts of other clusters. The real HostOwners, with its files, says
// which; what an adapter does with the answer is done here, to hosts that come, open, close and get
// orders at random. It is separate from the site, whose clusters call hosts of others by names that
// no own host has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/workload/support/host_owners.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

class NamedHosts {
 public:
  /// `folder` exists and ends in "/".
  NamedHosts(uint64_t seed, std::string folder);

  struct Wrong {
    Invariant invariant = Invariant::own_host_closed;
    std::string what;
  };
  /// Lets some hundred things happen, with a look after each; nullopt: everything held.
  std::optional<Wrong> run();

 private:
  struct NamedHost {
    std::string name;
    bool others = false;   // the truth, which HostOwners knows only from names and what is found
    bool unclear = false;  // an own host with a name that the rule could have made
    bool drained = false;  // by an administrator
    bool works = false;
    bool ordered = false;  // at some time
    int32_t fenced = 0;    // slots fenced by the adapter
  };

  void start();
  void happen();
  void add_own();
  void add_others();
  void order(NamedHost& host);
  void order_ends(NamedHost& host);
  void change_by_hand(NamedHost& host);
  std::optional<Wrong> look();
  void enforce();
  std::optional<Wrong> judge(const NamedHost& host) const;

  Chance chance_;
  std::string folder_;
  agent::HostNames names_;
  std::optional<agent::CapJournal> journal_;
  std::optional<agent::HostOwners> owners_;
  std::vector<NamedHost> hosts_;
  int64_t made_ = 0;
  size_t mapped_ = 0;
  bool started_ = false;
};

}  // namespace leasehold::simulation
