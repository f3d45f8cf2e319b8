"""One hostile or broken peer starves nobody: while it does its worst, leases go on flipping, operators
are answered, new agents come in, and the broker's memory stays bounded.
"""
import subprocess
import sys
from pathlib import Path

import one_site
from configs import POOL, Cluster, Job
from one_site import OnOneSite
from scenes import LONG_S, brought_home
from secure_site import SecureSite

HOSTILE = Path(__file__).with_name("hostile.py")
MEMORY_MB = 300


def site_with_rogue() -> SecureSite:
    """west wants what east exports; rogue is a third cluster, whose key the broker knows."""
    clusters = {"east": Cluster({"big1": 8}), "west": Cluster({"small1": 1}, [Job(0, LONG_S)] * 5),
                "rogue": Cluster({"bad1": 1})}
    return SecureSite(clusters, [POOL], broker={"reclaim_delay": "1h",
                                                "agent_timeout": "10m"})


class Hostile:
    """The process, for a while."""

    def __init__(self, site: SecureSite, kind: str, endpoint: str, name: str = "") -> None:
        key = site.key(name) if name else None
        keys = [key["public"], key["secret"], site.key("broker")["public"]] if key else []
        self.process = subprocess.Popen([sys.executable, "-B", HOSTILE, kind, endpoint, *keys],
                                        stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "Hostile":
        assert self.process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def memory_mb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
    raise AssertionError("no VmHWM")


class WhileAPeer(OnOneSite):
    def site_for_all(self) -> SecureSite:
        return site_with_rogue()

    def begin(self) -> None:
        self.site.start_broker()
        for name in ("east", "west"):
            self.site.agents[name].start()
        self.site.wait_for_lease(phase="active", consumer_slots__used=1)
        self.site.order("rebalance", "pool:west")

    def goes_on(self, kind: str, name: str = "rogue", control: bool = False) -> None:
        """An agent comes in, slots go to and fro, operators are answered."""
        site, west = self.site, self.site.agents["west"]
        lines = len(site.broker.log().splitlines())
        west.kill9()
        with Hostile(site, kind, site.control if control else site.listen, name):
            west.start()
            west.wait_for_log("event=connected")
            for _ in range(2):
                brought_home(site)
                site.order("rebalance", "pool:west")
                site.wait_for_lease(phase="active", in_transfer=0, consumer_slots__used=4)
            site.ask("clusters")
            for good in "east", "west":
                self.assertEqual(site.flow(good)["agent"], "up")
        self.assertNotIn("agent-lost", site.broker.log())
        self.assertLess(memory_mb(site.broker.process.pid), MEMORY_MB)
        self.assertLess(len(site.broker.log().splitlines()) - lines, 100)
        site.ask("leases")

    def test_floods(self) -> None:
        self.goes_on("flood")

    def test_sends_garbage_and_lies(self) -> None:
        self.goes_on("garbage")

    def test_sends_huge_messages(self) -> None:
        self.goes_on("huge")

    def test_reads_no_answers(self) -> None:
        self.goes_on("deaf")

    def test_opens_one_connection_after_another(self) -> None:
        self.goes_on("crowd")

    def test_never_finishes_its_handshakes(self) -> None:
        self.goes_on("slow", name="")

    def test_of_unknown_key_hammers(self) -> None:
        self.goes_on("crowd", name="stranger")

    def test_among_the_operators_asks_without_end_and_reads_nothing(self) -> None:
        self.goes_on("deaf-control", name="desk", control=True)

    def test_among_the_operators_floods(self) -> None:
        self.goes_on("garbage", name="desk", control=True)

    def test_before_the_control_endpoint_never_finishes_its_handshakes(self) -> None:
        self.goes_on("slow", name="", control=True)


if __name__ == "__main__":
    one_site.main()
