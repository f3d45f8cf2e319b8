// The reference of leasectl's commands, made from all that can be typed.
#pragma once

#include <string>

#include "broker/ctl/command_line/parse.hpp"

namespace leasehold::ctl {

/// Returns Markdown, as schema/COMMANDS.md holds it.
std::string reference_text(const ProgramHelp& program);

}  // namespace leasehold::ctl
