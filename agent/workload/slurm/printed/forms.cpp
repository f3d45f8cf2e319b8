#include "agent/workload/slurm/printed/forms.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace leasehold::agent {

namespace {

/// The one to ask for comes first: v0.0.42 is in all of 24.11 to 26.05. v0.0.45 no longer tells how
/// jobs share. 22.05 has v0.0.38 and cannot be asked.
constexpr SlurmForm kForms[] = {{"v0.0.42", true, true, true},  {"v0.0.43", true, true, true},
                                {"v0.0.44", true, true, true},  {"v0.0.41", true, true, true},
                                {"v0.0.40", true, false, true}, {"v0.0.45", true, true, false},
                                {"v0.0.38", false, false, true}};

/// Returns "v0.0.42" of "data_parser/v0.0.42".
std::string last_word(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_listed(std::string_view listed, std::string_view name) {
  for (size_t at = listed.find(name); at != listed.npos; at = listed.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end == listed.size() || listed[end] < '0' || listed[end] > '9') return true;
  }
  return false;
}

}  // namespace

const SlurmForm* find_slurm_form(std::string_view name) {
  const auto* found = std::find_if(std::begin(kForms), std::end(kForms),
                                   [name](const SlurmForm& form) { return form.name == name; });
  return found == std::end(kForms) ? nullptr : found;
}

std::string slurm_form_named(const nlohmann::json& output) {
  const auto meta = output.find("meta");
  if (meta == output.end() || !meta->is_object()) return {};
  const auto plugin = meta->find("plugin");
  if (plugin == meta->end() || !plugin->is_object()) return {};
  for (const char* key : {"data_parser", "type"}) {
    const auto name = plugin->find(key);
    if (name != plugin->end() && name->is_string() && *name != "") {
      return last_word(name->get<std::string>());
    }
  }
  return {};
}

std::string slurm_form_to_ask(std::string_view listed) {
  for (const SlurmForm& form : kForms) {
    if (is_listed(listed, form.name)) return std::string(form.name);
  }
  return {};
}

std::string known_slurm_forms() {
  std::vector<std::string_view> names;
  for (const SlurmForm& form : kForms) names.push_back(form.name);
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace leasehold::agent
