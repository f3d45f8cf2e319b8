#include "broker/ports/http/answers/reply.hpp"

#include <sodium.h>
#include <zlib.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

constexpr std::string_view kGuards =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
    "'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

const char* words_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

/// Returns "Sun, 22 Nov 2026 17:01:00 GMT", whatever the locale.
std::string date_text(Instant at) {
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = at.ms / 1000;
  std::tm when{};
  if (::gmtime_r(&seconds, &when) == nullptr) return "Thu, 01 Jan 1970 00:00:00 GMT";
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                                 kDays[when.tm_wday], when.tm_mday, kMonths[when.tm_mon],
                                 when.tm_year + 1900, when.tm_hour, when.tm_min, when.tm_sec);
  return {text.data(), static_cast<size_t>(size)};
}

std::string first_lines(int status, Instant date) {
  return "HTTP/1.1 " + std::to_string(status) + " " + words_of(status) +
         "\r\nDate: " + date_text(date) + "\r\n" + std::string(kGuards);
}

void add_field(std::string& text, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  text.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::shared_ptr<const std::string> held(std::string bytes, const HeldBytes& held_bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  held_bytes->fetch_add(size);
  return {new std::string(std::move(bytes)), [held_bytes, size](const std::string* kept) {
            held_bytes->fetch_sub(size);
            delete kept;
          }};
}

Reply text_reply(int status, std::string type, std::string text) {
  Reply reply;
  reply.status = status;
  reply.type = std::move(type);
  reply.kept = std::make_shared<const std::string>(std::move(text));
  return reply;
}

Reply refused(const Refusal& refusal) {
  const Json body{{"error", error_json(refusal.error)}};
  Reply reply = text_reply(refusal.status, "application/json",
                           body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  reply.cache = "no-store";
  if (refusal.status == 401) reply.fields.emplace_back("WWW-Authenticate", "Bearer");
  if (refusal.status == 405) reply.fields.emplace_back("Allow", "GET, HEAD");
  if (refusal.status == 429 || refusal.status == 503) reply.fields.emplace_back("Retry-After", "1");
  return reply;
}

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return 400;
    case ErrorCode::unknown:
      return 404;
    case ErrorCode::refused:
      return 403;
    case ErrorCode::unreachable:
    case ErrorCode::io:
    case ErrorCode::corrupt:
    case ErrorCode::version:
    case ErrorCode::elsewhere:
      return 503;
  }
  return 503;
}

std::string etag_of(std::string_view bytes) {
  std::array<unsigned char, 16> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                     bytes.size(), nullptr, 0);
  std::array<char, 33> text{};
  sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
  return std::string("W/\"") + text.data() + "\"";
}

std::string gzipped(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  const int begun =
      deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
  LEASEHOLD_CHECK(begun == Z_OK, "zlib is the one that this was built with");
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 32, '\0');
  // zlib writes nothing there; its interface is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int done = deflate(&stream, Z_FINISH);
  LEASEHOLD_CHECK(done == Z_STREAM_END, "deflateBound() bytes are enough");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string head_text(const Reply& reply, bool keep_alive, Instant date) {
  std::string text = first_lines(reply.status, date);
  add_field(text, "Cache-Control", reply.cache);
  add_field(text, "ETag", reply.etag);
  add_field(text, "Vary", "Accept-Encoding");
  for (const auto& [name, value] : reply.fields) add_field(text, name, value);
  if (reply.status != 304) {
    add_field(text, "Content-Type", reply.type);
    if (reply.gzipped) add_field(text, "Content-Encoding", "gzip");
    add_field(text, "Content-Length", std::to_string(reply.body().size()));
  }
  add_field(text, "Connection", keep_alive ? "keep-alive" : "close");
  return text + "\r\n";
}

std::string stream_head_text(Instant date) {
  return first_lines(200, date) +
         "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"
         "Connection: close\r\n\r\n";
}

}  // namespace leasehold
