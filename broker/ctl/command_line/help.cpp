#include "broker/ctl/command_line/help.hpp"

#include <algorithm>
#include <string_view>

#include "broker/views/catalogue.hpp"
#include "common/check.hpp"
#include "common/text/refused_words.hpp"

namespace leasehold::ctl {

namespace {

struct Group {
  const char* heading;
  std::string_view commands;  // with a blank before and after each
};

constexpr const char* kPresent = "The site as it is";
constexpr const char* kOrders = "Orders to the broker";

/// Questions and changes of the catalogue that are named in none of these are of the present, or
/// orders.
constexpr Group kGroups[] = {
    {kPresent, " watch "},
    {"Why, and what next", " explain forecast compare simulate plan "},
    {"What was", " history usage replay "},
    {"Files", " check-config import-lsf import-ego backup restore tables keygen "},
    {"leasectl itself", " help version completion reference "},
};

}  // namespace

const char* command_group(const std::string& command) {
  const auto found =
      std::find_if(std::begin(kGroups), std::end(kGroups), [&command](const Group& group) {
        return group.commands.find(" " + command + " ") != std::string_view::npos;
      });
  if (found != std::end(kGroups)) return found->heading;
  const RequestRow* row = find_request(command);
  LEASEHOLD_CHECK(row != nullptr, "every command stands in a group");
  return row->is_change() ? kOrders : kPresent;
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  const CLI::App* parent = app->get_parent();
  if (parent == nullptr) return Formatter::make_footer(app);
  const auto everywhere = parent->get_options([parent, app](const CLI::Option* option) {
    const bool own = app->get_option_no_throw(option->get_name()) != nullptr;
    return option->nonpositional() && option != parent->get_help_ptr() && !own;
  });
  return make_group("Options of every command", false, everywhere) + "\n" +
         Formatter::make_footer(app);
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (option->get_positional()) return "";
  const bool takes_value = option->get_items_expected_max() > 0;
  return takes_value ? " " + option->get_type_name() : "";
}

Result<std::string> help_text(const CLI::App& app, const std::string& command) {
  if (command.empty()) {
    return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
  }
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_name() != command) continue;
    const std::string typed = app.get_name() + " " + command;
    return one->get_formatter()->make_help(one, typed, CLI::AppFormatMode::Normal);
  }
  return fail(ErrorCode::usage, unknown_command(app, command));
}

}  // namespace leasehold::ctl
