#include "common/database_name.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/text/lower_case.hpp"
#include "common/text/replace_all.hpp"

namespace leasehold {

namespace {

constexpr const char* kSchemes[] = {"postgresql://", "postgres://"};
constexpr const char* kHidden = "***";
/// Parameters of libpq that are secret contain one of these (password, sslpassword,
/// oauth_client_secret, scram_client_key, …), and so do words that people mistake for them.
constexpr const char* kSecret[] = {"password", "passwd", "secret", "scram_"};

struct Parameter {
  std::string name;
  std::string_view value;
};
/// Parameters of libpq whose value is the path of a file.
constexpr std::string_view kFiles[] = {"passfile", "sslcert", "sslcrl", "sslkey", "sslrootcert"};

/// Parameters of libpq with which a database name in its other form begins.
constexpr std::string_view kConnection[] = {"host",
                                            "hostaddr",
                                            "port",
                                            "dbname",
                                            "user",
                                            "password",
                                            "passfile",
                                            "service",
                                            "options",
                                            "sslmode",
                                            "sslcert",
                                            "sslkey",
                                            "sslrootcert",
                                            "sslcrl",
                                            "gssencmode",
                                            "krbsrvname",
                                            "channel_binding",
                                            "connect_timeout",
                                            "client_encoding",
                                            "application_name",
                                            "fallback_application_name",
                                            "target_session_attrs",
                                            "keepalives"};

/// Parts of "scheme://user:password@hosts/database?name=value&…", as views of the text.
struct Parts {
  std::string_view password;  // with its colon
  std::string_view hosts;
  std::vector<Parameter> parameters;
  bool has_query = false;
};

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool coded = text[at] == '%' && at + 2 < text.size() && digit(text[at + 1]) >= 0 &&
                       digit(text[at + 2]) >= 0;
    plain += coded ? static_cast<char>(digit(text[at + 1]) * 16 + digit(text[at + 2])) : text[at];
    if (coded) at += 2;
  }
  return plain;
}

bool is_secret(const Parameter& parameter) {
  const std::string name = lower_case(parameter.name);
  return std::any_of(std::begin(kSecret), std::end(kSecret), [&name](const char* secret) {
    return name.find(secret) != std::string::npos;
  });
}

std::vector<Parameter> parameters_of(std::string_view query) {
  std::vector<Parameter> parameters;
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    const size_t name_end = std::min(one.size(), one.find('='));
    parameters.push_back(
        {decoded(one.substr(0, name_end)), one.substr(std::min(one.size(), name_end + 1))});
  }
  return parameters;
}

/// Finds the end of the user as libpq does, which takes "?" within a password for a part of it. Of
/// several "@" the last one counts: too much is hidden rather than too little.
size_t end_of_user(std::string_view rest) {
  const size_t hosts_end = rest.find_first_of("/?");
  const size_t at = rest.substr(0, hosts_end).rfind('@');
  const bool has_password = rest.substr(0, hosts_end).find(':') != std::string_view::npos;
  if (at != std::string_view::npos || !has_password) return at;
  return rest.substr(0, rest.find('/')).find('@');
}

Parts parts_of(std::string_view database) {
  Parts parts;
  const size_t scheme = database.find("://");
  if (scheme == std::string_view::npos) return parts;
  std::string_view rest = database.substr(scheme + 3);
  if (const size_t at = end_of_user(rest); at != std::string_view::npos) {
    const size_t colon = std::min(at, rest.find(':'));
    parts.password = rest.substr(colon, at - colon);
    rest.remove_prefix(at + 1);
  }
  parts.hosts = rest.substr(0, rest.find_first_of("/?"));
  const size_t query = rest.find('?');
  parts.has_query = query != std::string_view::npos;
  if (parts.has_query) parts.parameters = parameters_of(rest.substr(query + 1));
  return parts;
}

std::vector<std::string_view> secrets_of(const Parts& parts) {
  std::vector<std::string_view> secrets;
  for (const Parameter& each : parts.parameters) {
    if (is_secret(each) && !each.value.empty()) secrets.push_back(each.value);
  }
  return secrets;
}

/// Returns "host" and "user" of "/a/b host = x user='y z'": the names before an "=", in order.
std::vector<std::string> assigned_words(std::string_view text) {
  std::vector<std::string> words;
  if (text.find("://") != std::string_view::npos) return words;
  for (size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
    const size_t last = at == 0 ? std::string_view::npos : text.find_last_not_of(" \t", at - 1);
    if (last == std::string_view::npos) continue;
    const size_t before = text.find_last_of(" \t'", last);
    const size_t first = before == std::string_view::npos ? 0 : before + 1;
    words.emplace_back(text.substr(first, last + 1 - first));
  }
  return words;
}

}  // namespace

bool is_server(const std::string& database) {
  for (const char* scheme : kSchemes) {
    if (database.starts_with(scheme)) return true;
  }
  return false;
}

/// True even if the first name is mistyped, because the text may hold a password all the same.
bool is_conninfo(const std::string& database) {
  const std::vector<std::string> words = assigned_words(database);
  if (words.empty()) return false;
  const auto* end = std::end(kConnection);
  const bool begins = database.find_first_not_of(" \t") == database.find(words.front());
  return (begins && std::find(std::begin(kConnection), end, words.front()) != end) ||
         std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return is_secret({word, ""});
         });
}

std::string conninfo_fault() {
  return "is written as \"host=… user=…\", libpq's other form, which is not supported; it is not "
         "shown, for it may hold a password. Write postgresql://USER@HOST/NAME, or the path of an "
         "SQLite file";
}

std::string without_password(const std::string& database) {
  if (is_conninfo(database)) return "host=…";
  const Parts parts = parts_of(database);
  std::vector<std::string_view> secrets = secrets_of(parts);
  std::string name = database;
  // Replaces from the end, so that the earlier positions stay valid.
  for (auto secret = secrets.rbegin(); secret != secrets.rend(); ++secret) {
    name.replace(static_cast<size_t>(secret->data() - database.data()), secret->size(), kHidden);
  }
  if (parts.password.empty()) return name;
  return name.erase(static_cast<size_t>(parts.password.data() - database.data()),
                    parts.password.size());
}

std::string without_password(const std::string& database, std::string said) {
  replace_all(said, database, without_password(database));
  const Parts parts = parts_of(database);
  std::vector<std::string_view> secrets = secrets_of(parts);
  if (parts.password.size() > 1) secrets.push_back(parts.password.substr(1));
  for (const std::string_view secret : secrets) {
    replace_all(said, '"' + std::string(secret) + '"', '"' + std::string(kHidden) + '"');
  }
  return said;
}

/// A host in the query replaces the hosts before it.
bool names_several_hosts(const std::string& database) {
  const Parts parts = parts_of(database);
  std::string hosts = decoded(parts.hosts);
  std::string addresses;
  for (const Parameter& each : parts.parameters) {
    if (each.name == "host") hosts = decoded(each.value);
    if (each.name == "hostaddr") addresses = decoded(each.value);
  }
  return hosts.find(',') != std::string::npos || addresses.find(',') != std::string::npos;
}

bool names_parameter(const std::string& database, std::string_view name) {
  const Parts parts = parts_of(database);
  return std::any_of(parts.parameters.begin(), parts.parameters.end(),
                     [name](const Parameter& each) { return each.name == name; });
}

std::vector<std::string> files_named_by(const std::string& database) {
  std::vector<std::string> files;
  const Parts parts = parts_of(database);
  for (const Parameter& each : parts.parameters) {
    const auto* end = std::end(kFiles);
    if (std::find(std::begin(kFiles), end, each.name) != end) files.push_back(decoded(each.value));
  }
  return files;
}

std::string with_parameters(const std::string& database, const std::string& more) {
  return database + (parts_of(database).has_query ? "&" : "?") + more;
}

}  // namespace leasehold
