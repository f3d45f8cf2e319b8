#include "agent/workload/support/running_program.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "common/time/clock.hpp"

extern char** environ;

namespace leasehold::agent {

namespace {

constexpr int kNoStatus = -1;  // no status of waitpid()

bool begins_as(const std::string& name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&name](const std::string& one) { return name.starts_with(one); });
}

/// Returns the agent's environment without what is cleared, with the C locale and UTC, and with
/// what is asked for.
std::vector<std::string> environment_of(const CallRequest& request) {
  std::vector<std::pair<std::string, std::string>> set{
      {"LC_ALL", "C"}, {"LANG", "C"}, {"TZ", "UTC"}};
  set.insert(set.end(), request.environment.begin(), request.environment.end());
  std::vector<std::string> made;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const auto same = [&name](const auto& one) { return one.first == name; };
    if (begins_as(name, request.cleared)) continue;
    if (std::none_of(set.begin(), set.end(), same)) made.push_back(text);
  }
  for (const auto& [name, value] : set) made.push_back(name + "=" + value);
  return made;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> made;
  for (std::string& text : texts) made.push_back(text.data());
  made.push_back(nullptr);
  return made;
}

/// Starts the program in a process group of its own, so that what it starts ends with it, and with
/// default signals.
int spawn(const CallRequest& request, int input, int output, int errors, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = request.argv;
  std::vector<std::string> environment = environment_of(request);
  const int failed = ::posix_spawnp(&child, arguments.front().c_str(), &files, &how,
                                    pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

/// Waits for the end. Returns false if it does not come in time.
bool ended_by(pid_t child, int& status, int64_t until_ms) {
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (boottime_ms() >= until_ms) return false;
    ::poll(nullptr, 0, 1);
  }
}

tl::unexpected<Error> failure_of(const CallRequest& request, const std::string& what) {
  return fail(ErrorCode::io, "`" + command_text(request) + "` " + what);
}

}  // namespace

void Descriptor::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool SocketPair::open() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  ours.reset(ends[0]);
  theirs.reset(ends[1]);
  return true;
}

void RunningProgram::start(const CallRequest& request) {
  request_ = &request;
  int refused = 0;
  if (!input_.open() || !output_.open() || !errors_.open()) {
    refused = errno;
  } else {
    refused =
        spawn(request, input_.theirs.get(), output_.theirs.get(), errors_.theirs.get(), child_);
  }
  for (SocketPair* pair : {&input_, &output_, &errors_}) pair->theirs.close();
  until_ms_ = boottime_ms() + request.timeout_ms;
  if (request.input.empty()) input_.ours.close();
  if (refused == 0) return;
  child_ = 0;
  error_ = failure_of(request, std::string("cannot be started: ") + std::strerror(refused)).value();
}

void RunningProgram::add_to(std::vector<pollfd>& files) const {
  const bool on = talks();  // poll() ignores negative descriptors
  files.push_back({on ? output_.ours.get() : -1, POLLIN, 0});
  files.push_back({on ? errors_.ours.get() : -1, POLLIN, 0});
  files.push_back({on ? input_.ours.get() : -1, POLLOUT, 0});
}

void RunningProgram::take(const pollfd* files) {
  if (!talks()) return;
  if (files[0].revents != 0) read(output_.ours, answer_.output);
  if (files[1].revents != 0) read(errors_.ours, answer_.errors);
  if (files[2].revents != 0) write();
  const size_t most = request_->output_most;
  if (answer_.output.size() > most || answer_.errors.size() > most) {
    end("prints more than " + std::to_string(most) + " bytes");
  } else if (talks() && boottime_ms() >= until_ms_) {
    end(too_late());
  }
}

void RunningProgram::write() {
  const std::string& text = request_->input;
  const ssize_t sent = ::send(input_.ours.get(), text.data() + written_, text.size() - written_,
                              MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) written_ += static_cast<size_t>(sent);
  const bool refused = sent < 0 && errno != EAGAIN && errno != EINTR;
  if (refused || written_ == text.size()) input_.ours.close();  // the program need not read it
}

void RunningProgram::read(Descriptor& from, std::string& into) {
  std::array<char, 65536> block;
  const ssize_t got = ::recv(from.get(), block.data(), block.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return from.close();
  into.append(block.data(), static_cast<size_t>(got));
}

void RunningProgram::end(const std::string& why) {
  if (child_ == 0) return;
  ::kill(-child_, SIGKILL);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
  error_ = failure_of(*request_, why).value();
}

Result<CallAnswer> RunningProgram::outcome() {
  int status = kNoStatus;
  if (child_ != 0 && !ended_by(child_, status, until_ms_)) end(too_late());
  child_ = 0;
  if (error_) return tl::unexpected(*std::move(error_));
  if (status == kNoStatus) {
    return failure_of(*request_,
                      "ended with an unknown status: start the agent without SIGCHLD ignored");
  }
  if (WIFSIGNALED(status)) {
    return failure_of(*request_, "was ended by signal " + std::to_string(WTERMSIG(status)));
  }
  answer_.exit_status = WEXITSTATUS(status);
  return std::move(answer_);
}

}  // namespace leasehold::agent
