// Front: what becomes of one request: refused, answered at once, a question to be asked, a stream.
// Counts what it turned away. Not the sockets (server.hpp), nor the making of answers
// (answers.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "broker/ports/http/making.hpp"
#include "broker/ports/http/page_files.hpp"
#include "broker/ports/http/stream.hpp"
#include "broker/ports/peer_rates.hpp"

namespace leasehold {

struct Outcome {
  std::shared_ptr<const Reply> reply;  // at once; or
  std::optional<Inquiry> inquiry;      // to be asked; or
  std::optional<Stream> stream;
  Visitor visitor;
};

/// What probes ask, which every broker answers who has a place left for nobody else.
bool asks_for_probe(const RequestHead& head, const Notice& notice);
Refusal every_place_taken();

class Front {
 public:
  Front(std::span<const PageFile> page, std::span<const PageFile> guide);

  /// `now_ms`: of CLOCK_BOOTTIME.
  Outcome receive(const RequestHead& head, const std::string& peer, const Notice& notice,
                  int64_t now_ms);
  /// Counted, and told in the log as far as its rate goes.
  std::shared_ptr<const Reply> refuse(const Refusal& refusal, const std::string& address,
                                      int64_t now_ms);
  /// 304 where the visitor has it.
  static std::shared_ptr<const Reply> unless_known(std::shared_ptr<const Reply> reply,
                                                   const std::string& if_none_match);

  HttpCounts counts;

 private:
  OrRefusal<Outcome> outcome_of(const RequestHead& head, const std::string& peer,
                                const Notice& notice, int64_t now_ms);
  OrRefusal<void> check_rate(const std::string& address, int64_t per_second, int64_t now_ms);
  OrRefusal<Outcome> begin_question(Route route, Visitor visitor, const RequestHead& head,
                                    const Notice& notice);
  OrRefusal<std::shared_ptr<const Reply>> page_reply(const Route& route, const RequestHead& head,
                                                     const std::string& base_path);
  /// Of the page, or below docs/ of the guide.
  OrRefusal<const PageFile*> file_at(const std::string& path) const;
  std::shared_ptr<const Reply> openapi_reply(bool gzip);

  std::span<const PageFile> page_;
  std::span<const PageFile> guide_;
  PeerRates rates_;
  PeerRates log_rate_{2, 20};
  std::shared_ptr<const Reply> openapi_[2];  // as it is, and compressed
};

}  // namespace leasehold
