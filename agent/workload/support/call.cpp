#include "agent/workload/support/call.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "common/clock.hpp"

extern char** environ;

namespace leasehold::agent {

namespace {

constexpr size_t kSaidMost = 400;

class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  void reset(int descriptor) {
    close();
    descriptor_ = descriptor;
  }

 private:
  int descriptor_;
};

/// A socket pair: a write to a program that has ended gives an error and no SIGPIPE.
struct Pair {
  File ours;
  File theirs;
  bool open() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
    return true;
  }
};

bool begins_as(const std::string& name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&name](const std::string& one) { return name.starts_with(one); });
}

/// The agent's environment without what is cleared, with the C locale and UTC, and what is asked
/// for.
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

/// In a process group of its own, so that what it starts ends with it; with signals as usual.
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

/// What goes in and comes out of the program while it runs.
struct Talk {
  File& input;
  File& output;
  File& errors;
  size_t written = 0;
  bool too_much = false;

  void write(const std::string& text) {
    const ssize_t sent = ::send(input.get(), text.data() + written, text.size() - written,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) written += static_cast<size_t>(sent);
    const bool refused = sent < 0 && errno != EAGAIN && errno != EINTR;
    if (refused || written == text.size()) input.close();  // it need not read it
  }
  void read(File& from, std::string& into, size_t most) {
    std::array<char, 65536> block;
    const ssize_t got = ::recv(from.get(), block.data(), block.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return from.close();
    into.append(block.data(), static_cast<size_t>(got));
    too_much = too_much || into.size() > most;
  }
};

/// True: it closed its output in time.
bool talk(Talk& with, const CallRequest& request, CallAnswer& answer, int64_t until_ms) {
  if (request.input.empty()) with.input.close();
  while (with.output.get() >= 0 || with.errors.get() >= 0) {
    const int64_t left_ms = until_ms - boottime_ms();
    if (left_ms <= 0 || with.too_much) return false;
    std::array<pollfd, 3> files{{{with.output.get(), POLLIN, 0},
                                 {with.errors.get(), POLLIN, 0},
                                 {with.input.get(), POLLOUT, 0}}};
    if (::poll(files.data(), files.size(), static_cast<int>(std::min<int64_t>(left_ms, 1'000))) < 0)
      continue;
    if (files[0].revents != 0) with.read(with.output, answer.output, request.output_most);
    if (files[1].revents != 0) with.read(with.errors, answer.errors, request.output_most);
    if (files[2].revents != 0) with.write(request.input);
  }
  return true;
}

/// Waits for the end; false: it does not come in time.
bool reap(pid_t child, int& status, int64_t until_ms) {
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR) return true;
    if (boottime_ms() >= until_ms) return false;
    ::poll(nullptr, 0, 1);
  }
}

void kill_all(pid_t child) {
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

std::string shortened(const std::string& text) {
  std::string said = text.substr(0, kSaidMost);
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  for (char& c : said)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  if (text.size() > kSaidMost) said += " ...";
  return said;
}

tl::unexpected<Error> failed(const CallRequest& request, const std::string& what) {
  return fail(ErrorCode::io, "`" + command_text(request) + "` " + what);
}

}  // namespace

std::string command_text(const CallRequest& request) {
  std::string text;
  for (const std::string& argument : request.argv) {
    const bool plain = !argument.empty() && argument.find_first_of(" \t\n'\"\\$*") == argument.npos;
    text += (text.empty() ? "" : " ") + (plain ? argument : "'" + argument + "'");
  }
  return text;
}

Error call_error(const CallRequest& request, const CallAnswer& answer) {
  const std::string& said = answer.errors.empty() ? answer.output : answer.errors;
  return failed(request, "ended with exit status " + std::to_string(answer.exit_status) +
                             (said.empty() ? ", saying nothing" : ": " + shortened(said)))
      .value();
}

Result<CallAnswer> call(const CallRequest& request) {
  Pair input;
  Pair output;
  Pair errors;
  if (!input.open() || !output.open() || !errors.open())
    return failed(request, std::string("cannot be started: ") + std::strerror(errno));
  pid_t child = 0;
  const int refused =
      spawn(request, input.theirs.get(), output.theirs.get(), errors.theirs.get(), child);
  for (Pair* pair : {&input, &output, &errors}) pair->theirs.close();
  if (refused != 0)
    return failed(request, std::string("cannot be started: ") + std::strerror(refused));
  const int64_t until_ms = boottime_ms() + request.timeout_ms;
  CallAnswer answer;
  Talk with{input.ours, output.ours, errors.ours};
  int status = 0;
  if (!talk(with, request, answer, until_ms) || !reap(child, status, until_ms)) {
    kill_all(child);
    if (with.too_much)
      return failed(request, "prints more than " + std::to_string(request.output_most) + " bytes");
    return failed(request, "did not end within " + std::to_string(request.timeout_ms) + " ms");
  }
  if (WIFSIGNALED(status))
    return failed(request, "was ended by signal " + std::to_string(WTERMSIG(status)));
  answer.exit_status = WEXITSTATUS(status);
  return answer;
}

Result<std::string> call_output(const Caller& caller, const CallRequest& request) {
  Result<CallAnswer> answer = caller(request);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status != 0) return tl::unexpected(call_error(request, *answer));
  return std::move(answer->output);
}

}  // namespace leasehold::agent
