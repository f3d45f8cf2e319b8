"""leasectl watch in a terminal of its own: it shows the site live, and whatever ends it the terminal
is as it was."""
import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import unittest

from processes import LAST_BOUND_S, PROGRAMS, wait_until
from scenes import made, moved, still_site

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"


class Watching:
    """A leasectl watch with the terminal that it runs in."""

    def __init__(self, control: str) -> None:
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 80))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.seen = b""
        self.process = subprocess.Popen([PROGRAMS / "leasectl", "watch", "--broker", control], stdin=slave,
                                        stdout=slave, stderr=slave, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                                        env={**os.environ, "HOME": "/nonexistent", "LANG": "C.UTF-8"})

    def __enter__(self) -> "Watching":
        return self

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def read(self) -> bytes:
        while select.select([self.master], [], [], 0)[0]:
            self.seen += os.read(self.master, 65536)
        return self.seen

    def wait_for(self, text: str) -> None:
        wait_until(lambda: text.encode() in self.read(), f"{text!r} in the terminal")

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def end(self) -> int:
        wait_until(lambda: self.process.poll() is not None or self.read() is None, "its end")
        return self.process.returncode

    def child(self) -> int:
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        wait_until(lambda: open(path).read().split(), "the process that draws")
        return int(open(path).read().split()[0])


class Watch(unittest.TestCase):
    def is_as_before(self, watching: Watching) -> None:
        wait_until(lambda: LEAVE in watching.read(), "the other screen is left")
        self.assertGreater(watching.seen.rfind(LEAVE), watching.seen.rfind(ENTER))
        self.assertGreater(watching.seen.rfind(b"\x1b[?25h"), watching.seen.rfind(b"\x1b[?25l"))
        wait_until(lambda: termios.tcgetattr(watching.slave) == watching.before, "the old mode")

    def test_shows_what_happens_while_one_looks(self) -> None:
        with still_site() as site:
            made(site)
            with Watching(site.control) as watching:
                watching.wait_for("pool:west")
                watching.wait_for("nothing needs a person")
                site.order("rebalance", "pool:west")
                moved(site)
                watching.wait_for("transfer-done")
                watching.type(b"\x1a")  # ctrl-z: a shell on the other screen helps nobody
                site.broker.stop()
                watching.wait_for("nothing new")
                watching.seen = b""
                site.broker.start()
                watching.wait_for("nothing needs a person")
                watching.type(b"q")
                self.assertEqual(watching.end(), 0)
                self.is_as_before(watching)

    def test_gives_the_terminal_back_whatever_ends_it(self) -> None:
        with still_site() as site:
            made(site)
            for name, end in {"ctrl-c": lambda w: w.type(b"\x03"),
                              "SIGTERM": lambda w: w.process.terminate(),
                              "its drawing process killed": lambda w: os.kill(w.child(), signal.SIGKILL),
                              "killed": lambda w: w.process.kill()}.items():
                with self.subTest(name), Watching(site.control) as watching:
                    watching.wait_for("pool:west")
                    end(watching)
                    self.assertNotEqual(watching.end(), 0)
                    if name != "killed":
                        self.is_as_before(watching)
                    else:  # nobody is left who knows the old mode, but the screen comes back
                        wait_until(lambda: LEAVE in watching.read(), "the other screen is left")

    def test_is_refused_where_there_is_no_terminal(self) -> None:
        answer = subprocess.run([PROGRAMS / "leasectl", "watch"], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=LAST_BOUND_S)
        self.assertEqual(answer.returncode, 2)
        self.assertIn("leasectl status", answer.stderr)


if __name__ == "__main__":
    unittest.main()
