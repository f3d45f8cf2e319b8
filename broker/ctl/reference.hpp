// The reference of leasectl's commands, made of what can be typed.
#pragma once

#include <string>

#include "broker/ctl/parse.hpp"

namespace leasehold::ctl {

/// Markdown, as schema/COMMANDS.md holds it.
std::string reference_text(const ProgramHelp& program);

}  // namespace leasehold::ctl
