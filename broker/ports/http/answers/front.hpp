// Front decides what becomes of one request: it is refused, answered at once, made a question to be
// asked, or made a stream. It counts the refused ones. It knows neither sockets
// (../connection.hpp) nor the making of answers (answers.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "broker/ports/http/answers/making.hpp"
#include "broker/ports/http/answers/stream.hpp"
#include "broker/ports/http/embedded/page_files.hpp"
#include "broker/ports/peer_rates.hpp"

namespace leasehold {

struct Outcome {
  std::shared_ptr<const Reply> reply;  // to be sent at once; or
  std::optional<Inquiry> inquiry;      // to be asked; or
  std::optional<Stream> stream;
  Visitor visitor;
};

/// True if a probe's path is asked for: those are answered also when every other place is taken.
bool asks_for_probe(const RequestHead& head, const Notice& notice);
Refusal every_place_taken();

class Front {
 public:
  Front(std::span<const PageFile> page, std::span<const PageFile> guide);

  /// `now_ms` is by CLOCK_BOOTTIME, as in refuse().
  Outcome receive(const RequestHead& head, const std::string& peer, const Notice& notice,
                  int64_t now_ms);
  /// Makes the reply, counts it, and logs it as far as the rate of such lines allows.
  std::shared_ptr<const Reply> refuse(const Refusal& refusal, const std::string& address,
                                      int64_t now_ms);
  /// Returns the reply, or a 304 in its place if the visitor has it already.
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
  /// Returns the file of the page at that path; below docs/ the file of the guide.
  OrRefusal<const PageFile*> file_at(const std::string& path) const;
  std::shared_ptr<const Reply> openapi_reply(bool gzip);

  std::span<const PageFile> page_;
  std::span<const PageFile> guide_;
  PeerRates rates_;
  PeerRates log_rate_{2, 20};
  std::shared_ptr<const Reply> openapi_[2];  // as it is, and compressed
};

}  // namespace leasehold
