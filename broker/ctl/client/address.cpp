#include "broker/ctl/client/address.hpp"

#include <filesystem>
#include <optional>

#include "common/channel/endpoint.hpp"
#include "common/config/file.hpp"
#include "common/key.hpp"
#include "common/text/joined.hpp"

namespace leasehold::ctl {

namespace {

constexpr const char* kDefaultEndpoint = "tcp://127.0.0.1:7441";

struct Words {
  std::string broker;
  std::string key;
  std::string broker_key;
  std::string key_from = "--key";
  std::string broker_key_from = "--broker-key";
};

/// Splits at commas.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char each : text) {
    if (each == ',') {
      parts.emplace_back();
    } else {
      parts.back() += each;
    }
  }
  return parts;
}

/// Returns nullopt where there is no such file.
Result<std::optional<Words>> read_words(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return std::nullopt;
  ConfigFile file = ConfigFile::read(path, Pipes::allowed);
  Words words;
  words.broker = joined(file.root().text_or_texts("broker"), ",");
  const std::string key = file.root().text("key");
  if (!key.empty()) words.key = relative_to(path, key);
  words.broker_key = joined(file.root().text_or_texts("broker_key"), ",");
  words.key_from = "key of " + path;
  words.broker_key_from = "broker_key of " + path;
  file.refuse_unknown_keys();
  const std::vector<Error> errors = file.errors();
  if (!errors.empty()) return tl::unexpected(errors.front());
  return words;
}

Result<Words> words_of_files(const Environment& environment, const std::string& system) {
  const std::string home = environment("HOME");
  const std::string own = home.empty() ? "" : home + "/.config/leasehold/ctl.toml";
  for (const std::string& path : {own, system}) {
    Result<std::optional<Words>> found = read_words(path);
    if (!found) return tl::unexpected(found.error());
    if (*found) return **found;
  }
  return Words{};
}

struct Said {
  std::string word;
  const char* where;
};

/// Takes the first of the two that says something; else `word` and `from` stay as they are.
void prefer(const Said& option, const Said& variable, std::string& word, std::string& from) {
  for (const Said& said : {option, variable}) {
    if (said.word.empty()) continue;
    word = said.word;
    from = said.where;
    return;
  }
}

tl::unexpected<Error> missing(const Words& words) {
  const std::string both = "--key FILE and --broker-key KEY, or key and broker_key in ctl.toml";
  if (words.key.empty() && words.broker_key.empty()) {
    return fail(ErrorCode::usage,
                "the broker at " + words.broker + " is on another machine and asks for keys: " +
                    both + " (leasectl keygen makes one; an admin of the broker enters it)");
  }
  return fail(ErrorCode::usage, std::string("one key without the other: ") +
                                    (words.key.empty() ? "--key FILE" : "--broker-key KEY") +
                                    " is missing; it takes both " + both);
}

Result<std::optional<ConnectKeys>> read_keys(const Words& words) {
  if (words.broker.starts_with("ipc://")) return std::nullopt;  // the file system guards it
  const bool none = words.key.empty() && words.broker_key.empty();
  if (none && (is_local(words.broker) || !parse_endpoint(words.broker))) return std::nullopt;
  if (words.key.empty() || words.broker_key.empty()) return missing(words);
  if (!is_curve_key(words.broker_key)) {
    return fail(ErrorCode::usage, "the broker's key '" + words.broker_key +
                                      "' is no key; one has 40 characters of Z85, in quotes");
  }
  Result<KeyPair> own = read_key_file(words.key);
  if (!own) return tl::unexpected(own.error());
  return ConnectKeys{*std::move(own), words.broker_key};
}

}  // namespace

Result<std::vector<BrokerAddress>> broker_addresses(const CommandLine& line,
                                                    const Environment& environment,
                                                    const std::string& system_file) {
  Result<Words> written = words_of_files(environment, system_file);
  const std::string variable = environment("LEASEHOLD_BROKER");
  const bool named = !line.broker.empty() || !variable.empty();
  // A broken file must not keep a user from naming the broker by an option or a variable.
  if (!written && !named) return tl::unexpected(written.error());
  Words words = written.value_or(Words{});
  if (named) words.broker = line.broker.empty() ? variable : line.broker;
  prefer({line.key, "--key"}, {environment("LEASEHOLD_KEY"), "$LEASEHOLD_KEY"}, words.key,
         words.key_from);
  prefer({line.broker_key, "--broker-key"},
         {environment("LEASEHOLD_BROKER_KEY"), "$LEASEHOLD_BROKER_KEY"}, words.broker_key,
         words.broker_key_from);
  if (words.broker.empty()) words.broker = kDefaultEndpoint;
  const std::vector<std::string> brokers = parts_of(words.broker);
  const std::vector<std::string> broker_keys = parts_of(words.broker_key);
  if (broker_keys.size() != 1 && broker_keys.size() != brokers.size()) {
    return fail(ErrorCode::usage, std::to_string(broker_keys.size()) + " broker keys for " +
                                      std::to_string(brokers.size()) +
                                      " brokers: one for all of them, or one for each");
  }
  std::vector<BrokerAddress> addresses;
  for (size_t i = 0; i < brokers.size(); ++i) {
    words.broker = brokers[i];
    words.broker_key = broker_keys[broker_keys.size() == 1 ? 0 : i];
    Result<std::optional<ConnectKeys>> keys = read_keys(words);
    if (!keys) return tl::unexpected(keys.error());
    addresses.push_back({words.broker, *std::move(keys), words.key_from, words.broker_key_from});
  }
  return addresses;
}

}  // namespace leasehold::ctl
