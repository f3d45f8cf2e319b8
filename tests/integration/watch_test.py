"""leasectl watch in a terminal of its own: it shows the site live, and whatever ends it the terminal
is as it was."""
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import termios
import threading
import unittest

import zmq

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


class LeaderlessBroker:
    """Answers watch's questions from memory: nobody leads."""

    WHY = {"since": "2026-01-02T03:04:05.000Z", "why": "its database is away", "help": "repairing it would help"}

    def __enter__(self) -> "LeaderlessBroker":
        self._router = zmq.Context.instance().socket(zmq.ROUTER)
        port = self._router.bind_to_random_port("tcp://127.0.0.1")
        self.control = f"tcp://127.0.0.1:{port}"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._thread.join()
        self._router.close(linger=0)

    def _answer(self) -> None:
        while not self._over.is_set():
            if not self._router.poll(20):
                continue
            route, question = self._router.recv_multipart()
            result = {"broker": "hub"} if json.loads(question)["command"] == "status" else []
            told = {"ok": True, "as_of": {"event": 1}, "nobody_leads": self.WHY, "result": result}
            self._router.send_multipart([route, json.dumps(told).encode()])


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
                watching.wait_for("no answer since")
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

    def test_ends_with_exit_4_and_says_why_where_nobody_leads(self) -> None:
        sentence = "nobody leads since 2026-01-02T03:04:05.000Z, because its database is away"
        with LeaderlessBroker() as broker, Watching(broker.control) as watching:
            watching.wait_for("nobody leads since")
            watching.type(b"q")
            self.assertEqual(watching.end(), 4)
            self.is_as_before(watching)
            self.assertIn(sentence.encode(), watching.seen[watching.seen.rfind(LEAVE):])

    def test_is_refused_where_there_is_no_terminal(self) -> None:
        answer = subprocess.run([PROGRAMS / "leasectl", "watch"], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=LAST_BOUND_S)
        self.assertEqual(answer.returncode, 2)
        self.assertIn("leasectl status", answer.stderr)


if __name__ == "__main__":
    unittest.main()
