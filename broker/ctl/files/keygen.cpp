// keygen: makes a key pair for a broker, an agent or an operator, and says what to write where.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "common/key.hpp"

namespace leasehold::ctl {

namespace {

constexpr const char* kDefaultName = "leasehold";
constexpr const char* kSuffix = ".key";

struct Made {
  std::string name;  // the probable owner
  std::string file;
  std::string public_key;
};

struct Part {
  const char* whose;
  const char* file;
  std::string text;
};

std::vector<Part> parts(const Made& made) {
  const std::string own = "[security]\nsecret_key_file = \"" + made.file + "\"\n";
  const std::string name = "name       = \"" + made.name + "\"\n";
  const std::string open = "public_key = \"" + made.public_key + "\"\n";
  const std::string theirs = "\"…\"  # the broker's public key";
  return {
      {"broker", "broker.toml", own},
      {"broker", "each agent's configuration, below [security]",
       "broker_public_key = \"" + made.public_key + "\"\n"},
      {"agent", "agent.toml", own + "broker_public_key = " + theirs + "\n"},
      {"agent", "broker.toml, then leasectl reload", "[[cluster]]\n" + name + open},
      {"operator", "~/.config/leasehold/ctl.toml",
       "key = \"" + made.file + "\"\nbroker_key = " + theirs + "\n"},
      {"operator", "broker.toml, then leasectl reload",
       "[[operator]]\n" + name + open +
           "role       = \"read\"  # or admin, or admin:/consumer/path\n"},
  };
}

std::string indented(const std::string& text) {
  std::string result = "    ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "    ";
  }
  result.resize(result.size() - 4);
  return result;
}

void print_text(const Made& made) {
  std::string text = "secret key: " + made.file + " (mode 0600: it stays on this machine)\n" +
                     "public key: " + made.public_key + "\n";
  const char* whose = "";
  for (const Part& part : parts(made)) {
    if (std::string(part.whose) != whose) {
      text += std::string("\nIf it is ") +
              (part.whose[0] == 'b'   ? "the "
               : part.whose[0] == 'a' ? "an "
                                      : "an ") +
              part.whose + "'s:\n";
    }
    whose = part.whose;
    text += std::string("  ") + part.file + "\n" + indented(part.text);
  }
  print(text);
}

Json json_of(const Made& made) {
  Json json{{"secret_key_file", made.file}, {"public_key", made.public_key}};
  json["put"] = Json::array();
  for (const Part& part : parts(made)) {
    json["put"].push_back({{"for", part.whose}, {"where", part.file}, {"text", part.text}});
  }
  return json;
}

}  // namespace

int keygen(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  std::filesystem::path path = line.output.empty() ? kDefaultName : line.output;
  if (path.extension() != kSuffix) path += kSuffix;
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
  if (!ignored) path = whole;
  const KeyPair keys = new_key_pair();
  const Made made{path.stem().string(), path.string(), keys.public_key};
  if (Status written = write_key_file(made.file, made.name, keys); !written) {
    return report(written.error(), line.json);
  }
  if (line.json) {
    print_json(json_of(made));
  } else {
    print_text(made);
  }
  return 0;
}

}  // namespace leasehold::ctl
