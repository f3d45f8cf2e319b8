"""leasectl with a list of several brokers, while the one that it asked first goes away."""
import contextlib
import json
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

from configs import Cluster, Job
from postgres_server import PostgresServer
from processes import PROGRAMS, wait_until
from scenes import LONG_S, busy_site, work_changes
from standby_site import StandbySite


class Command:
    """leasectl that runs on; its lines as they come."""

    def __init__(self, site: StandbySite, *words: str) -> None:
        brokers = ",".join(place.control for place in site.places)
        self.lines: list[str] = []
        self.process = subprocess.Popen([PROGRAMS / "leasectl", *words, "--broker", brokers, "--timeout", "3s"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)

    def runs(self) -> bool:
        return self.process.poll() is None

    def status(self) -> int:
        status = wait_until(lambda: None if self.runs() else (self.process.returncode,), "leasectl ends")[0]
        self.reader.join()
        return status

    def __enter__(self) -> "Command":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class ACommandThatGoesOn(unittest.TestCase):
    """Symptom: it stayed with the broker that led first, and ended with "no answer from the broker"."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(PostgresServer())

    def test_follows_the_history_while_one_leader_is_killed_and_the_next_one_leads(self) -> None:
        with busy_site(lambda *words, **more: StandbySite(self.server, *words, **more)) as site:
            first = site.start_all()
            with Command(site, "history", "--follow", "--json") as following:
                site.flips_again()
                wait_until(lambda: following.lines, "rows come")
                first.daemon.kill9()
                site.wait_for_leader(site.standbys())
                site.wait_for_agents()
                site.flips_again()
                last = max(row["id"] for row in site.ask("history"))

                def told() -> list[int]:
                    self.assertTrue(following.runs(), "".join(following.lines))
                    # Beside the rows it says, on a slow machine, that nobody leads.
                    rows = [line for line in following.lines if not line.startswith("leasectl:")]
                    return [json.loads(line)["id"] for line in rows if line.endswith("\n")]
                wait_until(lambda: max(told()) >= last, "what the next leader decided is told")
                self.assertEqual(told(), sorted(set(told())), "each row once, in order")

    def test_waits_for_a_drain_that_the_next_leader_ends(self) -> None:
        clusters = {"east": Cluster({"big1": 8}), "west": Cluster({"small1": 1}, [Job(0, LONG_S)] * 5)}
        with StandbySite(self.server, clusters, broker={"reclaim_delay": "300ms"}) as site:
            first = site.start_all()
            site.wait_for_lease(phase="active", in_transfer=0, consumer_slots__used=4)
            with Command(site, "drain", "east", "--wait") as waiting:
                wait_until(lambda: any("4 slots left" in line for line in waiting.lines), "it waits")
                first.daemon.kill9()
                site.wait_for_leader(site.standbys())
                site.wait_for_agents()
                work_changes(site, "west", ends=True)
                self.assertEqual(waiting.status(), 0, "".join(waiting.lines))
                self.assertIn("0 slots left\n", waiting.lines)


if __name__ == "__main__":
    unittest.main()
