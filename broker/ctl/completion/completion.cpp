#include "broker/ctl/completion/completion.hpp"

#include "broker/ctl/commands.hpp"
#include "broker/ctl/completion/words.hpp"
#include "common/config/file.hpp"

namespace leasehold::ctl {

int completion(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  const std::string& shell = line.subject;
  if (shell == "bash") {
    print(bash_completion(program_help()));
  } else if (shell == "zsh") {
    print(zsh_completion(program_help()));
  } else if (shell == "fish") {
    print(fish_completion(program_help()));
  } else {
    const std::vector<std::string>& known = words::kind_of("SHELL")->fixed;
    return report(fail(ErrorCode::usage, "'" + shell +
                                             "' is not a known shell; bash, zsh and "
                                             "fish are" +
                                             did_you_mean(shell, known))
                      .value(),
                  line.json);
  }
  return 0;
}

}  // namespace leasehold::ctl
