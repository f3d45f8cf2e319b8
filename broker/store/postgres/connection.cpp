#include "broker/store/postgres/connection.hpp"

#include <libpq-fe.h>

#include <exception>

namespace leasehold {

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

bool ServerConnection::Notices::operator()(const char message[]) noexcept {
  try {
    const std::string said = message;
    if (said.starts_with("FATAL") || said.starts_with("PANIC")) last_word_ = first_line(said);
  } catch (const std::exception&) {
    last_word_.clear();  // libpq's word has to do
  }
  return true;
}

std::string ServerConnection::loss_reason() const {
  if (!notices_->last_word().empty()) return notices_->last_word();
  return policy.get() == nullptr ? "" : first_line(PQerrorMessage(policy.get()));
}

}  // namespace leasehold
