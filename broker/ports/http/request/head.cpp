#include "broker/ports/http/request/head.hpp"

#include <algorithm>

#include "common/text/lower_case.hpp"
#include "common/text/trimmed.hpp"

namespace leasehold {

namespace {

constexpr std::string_view kEnd = "\r\n";
/// Each of these may occur once: of two nobody knows which one counts.
constexpr std::string_view kSingle[] = {"host", "authorization", "content-length", "last-event-id",
                                        "transfer-encoding"};

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

constexpr std::string_view kPadding = " \t";  // RFC 9110 knows no other

/// Returns the part before the next `mark`; `text` goes on behind it.
std::string_view cut(std::string_view& text, std::string_view mark) {
  const size_t at = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + mark.size(), text.size()));
  return part;
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool read_parameters(std::string_view query, RequestHead& head) {
  while (!query.empty()) {
    std::string_view value = cut(query, "&");
    if (value.empty()) continue;
    const std::string_view name = cut(value, "=");
    std::optional<std::string> key = percent_decoded(name, true);
    std::optional<std::string> text = percent_decoded(value, true);
    if (!key || !text) return false;
    head.parameters.emplace_back(*std::move(key), *std::move(text));
  }
  return true;
}

/// "http://HOST:PORT/PATH" (RFC 9112, 3.2.2), as proxies are asked: what names the host goes into
/// `head`, and the path is left. False: it names no host, or a user, who could be taken for one.
bool take_authority(std::string_view& target, RequestHead& head) {
  const size_t scheme = target.find("://");
  const std::string name = lower_case(target.substr(0, scheme));
  if (scheme == std::string_view::npos || (name != "http" && name != "https")) return false;
  target.remove_prefix(scheme + 3);
  const size_t end = std::min(target.find_first_of("/?#"), target.size());
  head.authority = target.substr(0, end);
  target.remove_prefix(end);
  const bool has_host = !head.authority.empty() && head.authority.front() != ':';
  return has_host && head.authority.find('@') == std::string::npos;
}

bool read_target(std::string_view target, RequestHead& head) {
  const bool visible =
      std::all_of(target.begin(), target.end(), [](char c) { return c > ' ' && c < '\x7F'; });
  if (!visible) return false;
  const bool whole = !target.starts_with('/');
  if (whole && !take_authority(target, head)) return false;
  target = target.substr(0, target.find('#'));
  std::string_view path = cut(target, "?");
  path.remove_prefix(path.empty() ? 0 : 1);  // a whole address may end with its host
  for (bool more = true; more;) {
    more = path.find('/') != std::string_view::npos;
    std::optional<std::string> part = percent_decoded(cut(path, "/"), false);
    if (!part) return false;
    head.path.push_back(*std::move(part));
  }
  return read_parameters(target, head);
}

OrRefusal<RequestHead> read_request_line(std::string_view line) {
  RequestHead head;
  head.method = cut(line, " ");
  const std::string_view target = cut(line, " ");
  if (line.empty() || !is_token(head.method)) return bad_request("the request line is not HTTP");
  if (line != "HTTP/1.1" && line != "HTTP/1.0") {
    return refuse(505, ErrorCode::version, "only HTTP/1.1 is supported");
  }
  head.keep_alive = line == "HTTP/1.1";
  if (head.method == "GET" || head.method == "HEAD") {
    if (read_target(target, head)) return head;
    return bad_request(
        "the address is invalid: one begins with a slash or is http://HOST/PATH, '%' has two "
        "digits, "
        "other than plain characters are written so");
  }
  return refuse(
      405, ErrorCode::usage,
      "only GET and HEAD are allowed, for nothing is changed by HTTP; leasectl gives orders");
}

OrRefusal<void> read_field(std::string_view line, RequestHead& head) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return bad_request("a header line is not of the form NAME: VALUE");
  }
  const std::string_view value = trimmed(line.substr(colon + 1), kPadding);
  const bool clean = std::none_of(value.begin(), value.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  });
  if (!clean) return bad_request("a header has control characters");
  const auto [field, is_new] = head.fields.emplace(lower_case(line.substr(0, colon)), value);
  if (is_new) return {};
  if (std::find(std::begin(kSingle), std::end(kSingle), field->first) != std::end(kSingle)) {
    return bad_request("'" + field->first + "' is given twice");
  }
  field->second += ", " + std::string(value);
  return {};
}

/// A proxy may read an empty value as another length than this broker does.
OrRefusal<void> check_length(const RequestHead& head) {
  const auto length = head.fields.find("content-length");
  const bool is_said = length != head.fields.end();
  if (is_said && (length->second.empty() ||
                  length->second.find_first_not_of("0123456789") != std::string::npos)) {
    return bad_request("'content-length' is not a number");
  }
  const auto coding = head.fields.find("transfer-encoding");
  if (coding != head.fields.end() && coding->second.empty()) {
    return bad_request("'transfer-encoding' is empty");
  }
  const bool body = (is_said && length->second.find_first_not_of('0') != std::string::npos) ||
                    coding != head.fields.end();
  if (body) return refuse(413, ErrorCode::usage, "a request with a body is not accepted");
  return {};
}

OrRefusal<void> check_fields(const RequestHead& head, bool needs_host) {
  if (OrRefusal<void> good = check_length(head); !good) return good;
  if (needs_host && head.field("host").empty()) return bad_request("'host' is missing");
  return {};
}

}  // namespace

tl::unexpected<Refusal> refuse(int status, ErrorCode code, std::string message) {
  return tl::unexpected(Refusal{status, Error{code, std::move(message), {}, 0, 0}});
}

tl::unexpected<Refusal> bad_request(std::string message) {
  return refuse(400, ErrorCode::usage, std::move(message));
}

const std::string& RequestHead::field(std::string_view name) const {
  static const std::string kAbsent;
  const auto found = fields.find(name);
  return found == fields.end() ? kAbsent : found->second;
}

OrRefusal<std::optional<size_t>> head_end(std::string_view bytes) {
  const size_t line = bytes.substr(0, kRequestLineBytesMax).find(kEnd);
  if (line == std::string_view::npos && bytes.size() >= kRequestLineBytesMax) {
    return refuse(414, ErrorCode::usage,
                  "the address has more than " + std::to_string(kRequestLineBytesMax) + " bytes");
  }
  const size_t end = bytes.substr(0, kHeadBytesMax).find("\r\n\r\n");
  if (end != std::string_view::npos) return std::optional(end + 4);
  if (bytes.size() < kHeadBytesMax) return std::optional<size_t>();
  return refuse(431, ErrorCode::usage,
                "the headers have more than " + std::to_string(kHeadBytesMax) + " bytes");
}

OrRefusal<RequestHead> read_head(std::string_view bytes) {
  bytes.remove_suffix(kEnd.size());
  OrRefusal<RequestHead> head = read_request_line(cut(bytes, kEnd));
  if (!head) return head;
  const bool needs_host = head->keep_alive;
  size_t count = 0;
  while (!bytes.empty()) {
    if (++count > kFieldsMax) {
      return refuse(431, ErrorCode::usage,
                    "the headers have more than " + std::to_string(kFieldsMax) + " fields");
    }
    if (OrRefusal<void> read = read_field(cut(bytes, kEnd), *head); !read) {
      return tl::unexpected(read.error());
    }
  }
  if (OrRefusal<void> good = check_fields(*head, needs_host); !good) {
    return tl::unexpected(good.error());
  }
  if (!head->authority.empty()) head->fields["host"] = head->authority;
  if (lower_case(head->field("connection")).find("close") != std::string::npos) {
    head->keep_alive = false;
  }
  return head;
}

std::optional<std::string> percent_decoded(std::string_view text, bool query) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex(text[i + 1]);
      const int low = hex(text[i + 2]);
      if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += query && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    std::string_view weight = cut(accept_encoding, ",");
    const std::string name = lower_case(trimmed(cut(weight, ";"), kPadding));
    if (name != "gzip" && name != "*") continue;
    const std::string q = lower_case(trimmed(weight, kPadding));
    return !(q.starts_with("q=0") && q.find_first_of("123456789") == std::string::npos);
  }
  return false;
}

bool names_etag(std::string_view if_none_match, std::string_view etag) {
  const auto opaque = [](std::string_view tag) {
    return tag.starts_with("W/") ? tag.substr(2) : tag;
  };
  while (!if_none_match.empty()) {
    const std::string_view tag = trimmed(cut(if_none_match, ","), kPadding);
    if (tag == "*" || (!etag.empty() && opaque(tag) == opaque(etag))) return true;
  }
  return false;
}

std::string_view bearer_token(std::string_view authorization) {
  const std::string_view scheme = cut(authorization, " ");
  return lower_case(scheme) == "bearer" ? trimmed(authorization, kPadding) : std::string_view();
}

}  // namespace leasehold
