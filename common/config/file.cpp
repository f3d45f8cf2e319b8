#include "common/config/file.hpp"

#include <algorithm>

#include "common/config/document.hpp"
#include "common/config/toml_limits.hpp"

namespace leasehold {

namespace {

void refuse_unknown(ConfigDocument& document, const ConfigDocument::Opened& opened) {
  if (opened.node == nullptr) return;
  const std::vector<std::string> known(opened.known.begin(), opened.known.end());
  for (const auto& [key, value] : *opened.node) {
    if (opened.known.contains(key.str())) continue;
    const Place place = place_of(key.source());
    const std::string where = opened.path.empty() ? "" : " in " + opened.path;
    document.errors.push_back(
        located(document, place.line > 0 ? place : place_of(value.source()),
                "unknown key " + quoted(key.str()) + where + did_you_mean(key.str(), known)));
  }
}

std::vector<Error> by_place(std::vector<Error> errors) {
  std::stable_sort(errors.begin(), errors.end(), [](const Error& a, const Error& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  return errors;
}

void parse_into(ConfigDocument& document, std::string_view text) {
  if (const Status good = check_toml_limits(text); !good) {
    const Place place{good.error().line, good.error().column};
    document.errors.push_back(located(document, place, good.error().message));
    return;
  }
  try {
    document.root = toml::parse(text, std::string_view(document.name));
    document.parsed = true;
  } catch (const toml::parse_error& error) {
    document.errors.push_back(located(document, place_of(error.source()),
                                      "not valid TOML: " + std::string(error.description())));
  }
}

std::shared_ptr<ConfigDocument> document_of(std::string_view text, const std::string& name) {
  auto document = std::make_shared<ConfigDocument>();
  document->name = name;
  parse_into(*document, text);
  document->open(&document->root, {1, 1}, "");
  return document;
}

}  // namespace

ConfigFile::ConfigFile(std::shared_ptr<ConfigDocument> document) : document_(std::move(document)) {}

ConfigFile ConfigFile::parse(std::string_view text, const std::string& name) {
  return ConfigFile(document_of(text, name));
}

ConfigFile ConfigFile::read(const std::string& path, Pipes pipes) {
  const Result<std::string> text = read_text_file(path, kTomlBytesMax, pipes);
  if (text) return parse(*text, path);
  auto document = document_of("", path);
  document->parsed = false;
  document->errors.push_back(text.error());
  return ConfigFile(std::move(document));
}

ConfigTable ConfigFile::root() const {
  return {document_, 0};
}
const std::string& ConfigFile::name() const {
  return document_->name;
}
bool ConfigFile::parsed() const {
  return document_->parsed;
}
std::vector<Error> ConfigFile::errors() const {
  return by_place(document_->errors);
}
std::vector<Error> ConfigFile::warnings() const {
  return by_place(document_->warnings);
}

void ConfigFile::refuse_unknown_keys() {
  for (const auto& opened : document_->opened) refuse_unknown(*document_, opened);
}

}  // namespace leasehold
