#include "broker/ctl/watch/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace leasehold::ctl {

namespace {

/// Switch to the alternate screen without cursor and wrapping, and back.
constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[?7l\033[2J";
constexpr std::string_view kLeave = "\033[0m\033[?7h\033[?25h\033[?1049l";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;  // the terminal is gone: key() reports it
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) sigaddset(&set, number);
  return set;
}

int signals_fd() {
  static const int fd = [] {
    const sigset_t set = watched_signals();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }();
  return fd;
}

/// Keys are read without waiting for the end of a line, and are not echoed.
void go_raw() {
  termios mode{};
  if (tcgetattr(STDIN_FILENO, &mode) != 0) return;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VSUSP] = _POSIX_VDISABLE;  // stopped, it would leave the shell on the alternate screen
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode);
}

struct Sequence {
  std::string_view bytes;
  Key key;
};
constexpr std::array kSequences{Sequence{"\033[A", Key::up},
                                Sequence{"\033OA", Key::up},
                                Sequence{"\033[B", Key::down},
                                Sequence{"\033OB", Key::down},
                                Sequence{"\033[5~", Key::page_up},
                                Sequence{"\033[6~", Key::page_down},
                                Sequence{"\033[H", Key::home},
                                Sequence{"\033[1~", Key::home},
                                Sequence{"\033[F", Key::end},
                                Sequence{"\033[4~", Key::end},
                                Sequence{"q", Key::quit},
                                Sequence{"Q", Key::quit},
                                Sequence{"k", Key::up},
                                Sequence{"j", Key::down},
                                Sequence{"g", Key::home},
                                Sequence{"G", Key::end},
                                Sequence{" ", Key::pause},
                                Sequence{"\004", Key::quit}};

std::optional<Key> key_of(std::string_view typed) {
  for (const Sequence& known : kSequences) {
    if (typed.starts_with(known.bytes)) return known.key;
  }
  return std::nullopt;
}

}  // namespace

Terminal::Terminal() {
  static_cast<void>(signals_fd());
  go_raw();
  write_all(kEnter);
}

Terminal::~Terminal() {
  write_all(kLeave);
}

Size Terminal::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

void Terminal::draw(const std::vector<std::string>& lines) {
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i < drawn_.size() && drawn_[i] == lines[i]) continue;
    out += "\033[" + std::to_string(i + 1) + ";1H" + lines[i] + "\033[0m\033[K";
  }
  drawn_ = lines;
  write_all(out);
}

std::optional<Key> Terminal::key(int ms) {
  std::array<pollfd, 2> fds{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{signals_fd(), POLLIN, 0}};
  if (::poll(fds.data(), fds.size(), ms) <= 0) return std::nullopt;
  if ((fds[1].revents & POLLIN) != 0) {
    signalfd_siginfo received{};
    if (::read(signals_fd(), &received, sizeof received) != sizeof received) return std::nullopt;
    if (received.ssi_signo != SIGWINCH) return Key::interrupted;
    drawn_.clear();
    write_all("\033[2J");
    return Key::resized;
  }
  std::array<char, 64> typed{};
  const ssize_t count = ::read(STDIN_FILENO, typed.data(), typed.size());
  if (count <= 0) return Key::interrupted;
  return key_of({typed.data(), static_cast<size_t>(count)});
}

int guarded(const std::function<int()>& what) {
  termios before{};
  const bool known = tcgetattr(STDIN_FILENO, &before) == 0;
  sigset_t set = watched_signals();
  sigaddset(&set, SIGCHLD);
  // The terminal signals both processes; the child ends by the signal.
  sigprocmask(SIG_BLOCK, &set, nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    _exit(getppid() == parent ? what() : 1);
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const int received = sigwaitinfo(&set, nullptr);
    // A request to end this process is meant for the child.
    if (received > 0 && received != SIGWINCH && received != SIGCHLD) kill(child, received);
  }
  if (known) tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  if (!WIFSIGNALED(status)) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  write_all(kLeave);
  return 128 + WTERMSIG(status);
}

}  // namespace leasehold::ctl
