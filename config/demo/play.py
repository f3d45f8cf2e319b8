"""The demo: starts a broker and two simulated clusters, tells what happens, and stops them.

Run by scripts/demo, which builds the programs first and says in LEASEHOLD_BIN where they are.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = Path(os.environ["LEASEHOLD_BIN"])
LASTS_S = 40
DAY_S = 36
LEASE = "spare:west"


def free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class Demo:
    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="leasehold-demo-"))
        self.running: dict[str, subprocess.Popen] = {}
        agents_port, self.control_port, self.http_port = free_ports(3)
        ports = {":7440": agents_port, ":7441": self.control_port, ":7442": self.http_port}
        for config in HERE.glob("*.toml"):
            text = config.read_text()
            for usual, port in ports.items():
                text = text.replace(usual, f":{port}")
            (self.path / config.name).write_text(text)

    @property
    def control(self) -> str:
        return f"tcp://127.0.0.1:{self.control_port}"

    @property
    def page(self) -> str:
        return f"http://127.0.0.1:{self.http_port}/"

    def start(self, program: str, name: str) -> None:
        with (self.path / f"{name}.log").open("w") as log:
            self.running[name] = subprocess.Popen(
                [PROGRAMS / program, "--config", f"{name}.toml"], cwd=self.path, stdout=log,
                stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def check_alive(self) -> None:
        for name, process in self.running.items():
            if process.poll() is not None:
                log = (self.path / f"{name}.log").read_text()
                sys.exit(f"demo: {name} ended with {process.returncode}:\n{log}")

    def stop(self) -> None:
        for process in reversed(self.running.values()):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for name, process in self.running.items():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                sys.exit(f"demo: {name} did not stop")

    def ctl(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAMS / "leasectl", *words], capture_output=True, text=True,
                              check=False)

    def ask(self, *words: str) -> list:
        answer = self.ctl(*words, "--json", "--broker", self.control)
        return json.loads(answer.stdout) if answer.returncode == 0 else []

    def show(self, *words: str, last: int = 0) -> bool:
        """Prints a command and what it answers; False if it failed."""
        print(f"\n$ leasectl {' '.join(words)}")
        answer = self.ctl(*words, *(() if "replay" in words else ("--broker", self.control)))
        lines = (answer.stdout + answer.stderr).splitlines()
        print("\n".join(lines[:1] + ["..."] + lines[-last:] if 0 < last < len(lines) else lines))
        return answer.returncode == 0


def bar(used: int, available: int) -> str:
    return "#" * used + "." * (available - used)


def clock(seconds: float) -> str:
    minutes = int(seconds * 24 * 60 / DAY_S)
    return f"day {minutes // 1440 + 1} {minutes // 60 % 24:02}:{minutes % 60 // 10}0"


def picture(row: dict) -> str:
    east, west = row["provider_slots"], row["consumer_slots"]
    return (f"east [{bar(east['used'], east['available'])}{'>' * row['in_transfer']}|"
            f"{bar(west['used'], west['available'])}] west   waiting: east "
            f"{row['pending']['provider']}, west {row['pending']['consumer']}")


class Story:
    """Tells a lease from its row and its history, a line when something happened."""

    def __init__(self) -> None:
        self.told = 0
        self.flips = 0
        self.last_line_s = -10.0

    def words(self, event: dict) -> str | None:
        if event["kind"] == "lease-offered":
            return "offered: west gets its first slot"
        if event["kind"] == "lease-made":
            return "MADE: west runs its first job on it"
        if event["kind"] == "flip":
            self.flips += 1
            plural = "" if event["slots"] == 1 else "s"
            return f"FLIP: {event['slots']} idle slot{plural} {event['from']} -> {event['to']}"
        return None

    def tell(self, seconds: float, row: dict, events: list[dict]) -> None:
        news = [words for event in events if event["id"] > self.told
                if (words := self.words(event))]
        self.told = max([self.told, *(event["id"] for event in events)])
        if news or seconds - self.last_line_s > 4:
            self.last_line_s = seconds
            print(f"{clock(seconds)}  {picture(row):54}  {'; '.join(news)}", flush=True)


def play(demo: Demo) -> Story:
    demo.start("lease-broker", "broker")
    demo.start("lease-agent", "east")
    demo.start("lease-agent", "west")
    print("A broker and two clusters. east exports 12 of its 16 slots to west as a shared lease; a\n"
          f"simulated day takes {DAY_S} s. # used, . idle, > in transfer\n"
          f"The page of it: {demo.page}\n", flush=True)
    story, begin = Story(), time.monotonic()
    while (seconds := time.monotonic() - begin) < LASTS_S:
        demo.check_alive()
        rows = [row for row in demo.ask("leases") if row["id"] == LEASE]
        if rows:
            story.tell(seconds, rows[0], demo.ask("history", "--lease", LEASE))
        time.sleep(0.4)
    return story


def look_back(demo: Demo, story: Story) -> bool:
    print(f"\n{story.flips} flips. What happened is in the database, with every reason:")
    shown = [demo.show("clusters"), demo.show("leases"), demo.show("explain", LEASE),
             demo.show("history", "--lease", LEASE, last=8),
             demo.show("replay", str(demo.path / "leasehold.db"), "--verify")]
    return all(shown) and story.flips > 0


def say_how_to_go_on(demo: Demo) -> None:
    print(f"\nStill running, in {demo.path}:")
    for name, process in demo.running.items():
        print(f"  {name:8} pid {process.pid}, log {demo.path / name}.log")
    print(f"\nLook on:\n  {demo.page} in a browser, {demo.page}api/v1/leases for programs\n"
          f"  export LEASEHOLD_BROKER={demo.control}")
    for words in ("leases", "history --follow", f"lease {LEASE}", "clusters"):
        print(f"  {PROGRAMS / 'leasectl'} {words}")
    print("Stop:\n  kill " + " ".join(str(process.pid) for process in demo.running.values()))


def main() -> int:
    keep = "--keep" in sys.argv[1:]
    demo, good = Demo(), False
    try:
        story = play(demo)
        good = look_back(demo, story)
    except KeyboardInterrupt:
        return 130
    finally:
        if not (keep and good):
            demo.stop()
            shutil.rmtree(demo.path, ignore_errors=True)
    if keep and good:
        say_how_to_go_on(demo)
    elif good:
        print("\nAll of it is stopped again. To look around yourself: scripts/demo --keep")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
