// Sending holds what a connection has to send and how much of it the visitor has taken: a reply, or
// the text of a stream, which grows.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "broker/ports/http/answers/reply.hpp"

namespace leasehold {

class Sending {
 public:
  Sending() = default;
  /// `reply` has the body that follows the text; nullptr: none does.
  explicit Sending(std::string text, std::shared_ptr<const Reply> reply = nullptr)
      : text_(std::move(text)), reply_(std::move(reply)) {}

  /// Contract: no body follows the text.
  void add(std::string_view text) {
    text_.erase(0, sent_);
    sent_ = 0;
    text_ += text;
  }
  /// Returns the bytes to send next; "": all were sent.
  std::string_view next() const {
    if (sent_ < text_.size()) return std::string_view(text_).substr(sent_);
    return reply_ == nullptr ? std::string_view() : reply_->body().substr(sent_ - text_.size());
  }
  void sent(size_t bytes) { sent_ += bytes; }

 private:
  std::string text_;
  std::shared_ptr<const Reply> reply_;
  size_t sent_ = 0;  // bytes of both
};

}  // namespace leasehold
