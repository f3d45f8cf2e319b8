"""Every command and every file in README.md, and on pages of the guide, does what it says.

A comment before each block says what the test makes of it:
  <!-- file NAME -->      its text becomes that file
  <!-- start -->          its lines are daemons, started and kept running
  <!-- run -->            a shell runs it; it must succeed
  <!-- prints COMMAND --> what the command prints begins so
  <!-- orders -->         systemctl's orders, which the test carries out for the daemons that it started
  <!-- elsewhere WHY -->  another test or script runs it
Ports are replaced by free ones, so that a running instance is left alone, and listeners for other
machines by ones on loopback, which speak CURVE with keys too.
"""
import json
import os
import re
import shlex
import shutil
import signal
import tempfile
import unittest
from difflib import unified_diff
from pathlib import Path

import side_by_side
from ports import Claim
from processes import PROGRAMS, ROOT, Daemon, run, wait_until

BLOCK = re.compile(r"(?:<!-- (?P<verb>[a-z]+)(?: (?P<rest>[^\n]*?))? -->\n)?```(?P<kind>\w*)\n"
                   r"(?P<body>.*?)\n```\n", re.DOTALL)
CHECKED_KINDS = {"sh", "toml", "lsf", "json"}
VERBS = ("file", "start", "run", "prints", "orders", "elsewhere")


class Reader:
    """Does what the README says, in a directory of its own."""

    def __init__(self, observes: bool = False) -> None:
        self.observes = observes  # nothing is leased at first
        self.path = Path(tempfile.mkdtemp(prefix="leasehold-readme-"))
        self.claim = Claim()
        self.daemons: list[Daemon] = []
        self.ports = dict(zip(("7440", "7441", "7450", "7451"), map(str, self.claim.ports)))
        self.environment = {**os.environ, "LEASEHOLD": str(ROOT), "HOME": str(self.path),
                            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                            "LEASEHOLD_BROKER": f"tcp://127.0.0.1:{self.ports['7441']}"}

    def close(self) -> None:
        for daemon in self.daemons:
            daemon.kill9()
        self.claim.release()
        shutil.rmtree(self.path, ignore_errors=True)

    def here(self, body: str) -> str:
        body = body.replace("tcp://*:", "tcp://127.0.0.1:")
        for usual, free in self.ports.items():
            body = body.replace(f":{usual}", f":{free}")
        return body

    def file(self, name: str, body: str) -> None:
        (self.path / name).write_text(self.here(body) + "\n")

    def files_of_first_site(self) -> None:
        """For the pages that go on with them."""
        for block in BLOCK.finditer((ROOT / "broker/guide/first-site.md").read_text()):
            if block["verb"] == "file":
                self.file(block["rest"], block["body"])

    def start(self, _: str, body: str) -> None:
        for line in body.splitlines():
            program, *options = shlex.split(line.removesuffix("&"))
            config = self.path / options[options.index("--config") + 1]
            daemon = Daemon(program, line, config)
            daemon.start()
            self.daemons.append(daemon)
            if control := re.search(r'^control +=? *"(\S+)"', config.read_text(), re.M):
                self.environment["LEASEHOLD_BROKER"] = control[1]
        self.wait_until_all_run()

    def orders(self, _: str, body: str) -> None:
        for line in body.splitlines():
            verb, program = re.match(r"sudo systemctl (.+) (lease-\w+)", line).groups()
            for daemon in list(self.daemons):
                if daemon.program.name == program:
                    self.order(daemon, verb)
        programs = {daemon.program.name for daemon in self.daemons if daemon.running()}
        if {"lease-broker", "lease-agent"} <= programs:
            self.wait_until_all_run()

    def order(self, daemon: Daemon, verb: str) -> None:
        if verb == "reload":
            daemon.signal(signal.SIGHUP)
            return
        if verb in ("stop", "restart", "disable --now"):
            assert daemon.stop() == 0, daemon.log()
        if verb == "disable --now":
            self.daemons.remove(daemon)
        if verb in ("start", "restart"):
            daemon.start()

    def wait_until_all_run(self) -> None:
        if self.observes:
            wait_until(self.all_are_heard, "all agents are heard")
        else:
            wait_until(self.lease_is_active, "a lease is made")

    def all_are_heard(self) -> bool:
        answer = run(PROGRAMS / "leasectl", "clusters", "--json", env=self.environment)
        return answer.returncode == 0 and all(row["agent"] == "up"
                                              for row in json.loads(answer.stdout))

    def lease_is_active(self) -> bool:
        answer = run(PROGRAMS / "leasectl", "leases", "--json", env=self.environment)
        return answer.returncode == 0 and any(row["phase"] == "active"
                                              for row in json.loads(answer.stdout))

    def run(self, _: str, body: str) -> None:
        done = run("sh", "-eu", "-c", self.here(body), cwd=self.path, env=self.environment)
        if done.returncode:
            logs = "\n".join(daemon.log() for daemon in self.daemons)
            raise AssertionError(f"{body}\n-> {done.returncode}\n{done.stdout}{done.stderr}{logs}")

    def prints(self, command: str, body: str) -> None:
        printed = run("sh", "-eu", "-c", command, cwd=self.path, env=self.environment)
        assert printed.returncode == 0, f"{command}: {printed.stderr}"
        shown = [line for line in body.splitlines() if not line.startswith("$ ")]
        begins = printed.stdout.splitlines()[:len(shown)]
        assert begins == shown, "\n".join([command, *unified_diff(shown, begins, "page", "printed")])

    def elsewhere(self, why: str, _: str) -> None:
        assert why, "say where"


class Pages(unittest.TestCase):
    def does_what_it_says(self, page: str, reader: Reader, after: str = "# ") -> None:
        """From the heading `after` on."""
        self.addCleanup(reader.close)
        text = (ROOT / page).read_text()
        blocks = [match for match in BLOCK.finditer(text, text.index(after))
                  if match["kind"] in CHECKED_KINDS or match["verb"]]
        self.assertGreater(len(blocks), 2)
        for block in blocks:
            self.assertIn(block["verb"], VERBS, block["body"])
            getattr(reader, block["verb"])(block["rest"] or "", block["body"])

    def test_blocks_of_the_readme_do_what_they_say(self) -> None:
        self.does_what_it_says("README.md", Reader())

    def test_blocks_of_the_first_site_and_of_a_plan_on_it_do_what_they_say(self) -> None:
        reader = Reader()
        self.does_what_it_says("broker/guide/first-site.md", reader)
        self.does_what_it_says("broker/guide/plans.md", reader)

    def test_blocks_of_the_page_of_simulation_do_what_they_say(self) -> None:
        self.does_what_it_says("broker/guide/simulate.md", Reader())

    def test_blocks_of_the_guide_for_administrators_do_what_they_say(self) -> None:
        reader = Reader(observes=True)
        reader.files_of_first_site()
        self.does_what_it_says("broker/guide/administrators.md", reader)

    def test_blocks_of_the_page_of_keys_do_what_they_say(self) -> None:
        reader = Reader()
        reader.files_of_first_site()
        self.does_what_it_says("broker/guide/keys.md", reader)

    def test_blocks_of_a_cold_standby_do_what_they_say(self) -> None:
        reader = Reader()
        reader.files_of_first_site()
        self.does_what_it_says("broker/guide/standby.md", reader, "\n## Cold standby\n")

    def test_paths_that_the_readme_names_are_there(self) -> None:
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text()):
            self.assertTrue((ROOT / target).exists(), target)


if __name__ == "__main__":
    side_by_side.main()
