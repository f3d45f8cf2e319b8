// Troubles logs what keeps a broker from its work, each once, and once that it is over; an open
// trouble is published where people look. It decides nothing.
#pragma once

#include <memory>
#include <string>

#include "broker/ports/http/answers/bulletin.hpp"

namespace leasehold {

class Troubles {
 public:
  /// `bulletin` may be nullptr. `alone`: the broker has its database to itself.
  Troubles(std::shared_ptr<Bulletin> bulletin, bool alone)
      : bulletin_(std::move(bulletin)), alone_(alone) {}

  // Each of these takes the present trouble; "": there is none.
  /// The database does not answer. A broker that is alone logs every attempt.
  void of_database(const std::string& trouble);
  /// This broker cannot take over, until somebody leads; that is no trouble of the database. A
  /// broker that is alone takes nothing over: its database is there, and its file is not.
  void of_take_over(const std::string& why);
  /// This broker could not take over, while another leads.
  void of_candidacy(const std::string& why);
  /// The other brokers' rows cannot be read.
  void of_others(const std::string& trouble);
  /// Compaction of the log fails; the broker goes on meanwhile.
  void of_compaction(const std::string& error);
  /// The store that is opened next knows nothing of the last one's compaction.
  void forget_compaction() { compaction_.clear(); }

  /// Returns the troubles that keep this broker from leading.
  Bulletin::Troubles of_leading() const { return {database_, take_over_}; }

 private:
  std::shared_ptr<Bulletin> bulletin_;
  bool alone_;
  // These were logged last:
  std::string database_;
  std::string take_over_;
  std::string candidacy_;
  std::string others_;
  std::string compaction_;
};

}  // namespace leasehold
