"""A site on which everything can go wrong that `leasectl attention` knows: clusters of the command
adapter's example, whose scheduler a test may let fail, ignore what it is told, or be gone past.
Not a test (wrong_test.py). west knows east's big1 as big1@east, and may borrow 4 of its 8 slots."""
import contextlib
import shutil
import time
from pathlib import Path

from configs import POOL, table
from processes import Daemon, wait_until
from scenes import LONG_S
from toy_site import EXAMPLE, ToySite

# Between agent and scheduler: what stands in the file NAME.deaf is not done, NAME.broken fails.
BETWEEN = """\
import io, json, sys
def stands(kind, request):
    try:
        with open(sys.argv[1].removesuffix(".json") + kind) as file:
            return request in file.read().split()
    except FileNotFoundError:
        return False
text = sys.stdin.read()
request = json.loads(text)["request"]
if stands(".broken", request):
    sys.exit("the scheduler does not answer")
if stands(".deaf", request):
    print(json.dumps({"version": 1}))
    sys.exit(0)
sys.stdin = io.StringIO(text)
sys.path.insert(0, __file__.rpartition("/")[0])
import example
example.main()
"""


class WrongSite(ToySite):
    def __init__(self, policy: dict | None = None, more: str = "") -> None:
        super().__init__({"east": {"big1": 8}, "west": {"small1": 1}}, {"west": ["big1@east"]},
                         policies=[{**POOL, **(policy or {})}], more=more)
        self.settings.update(reclaim_delay="1h", leeway="1s")
        self.write_broker_config()

    def __enter__(self) -> "WrongSite":
        (self.path / "between.py").write_text(BETWEEN)
        shutil.copy(EXAMPLE, self.path / "example.py")
        return super().__enter__()

    def stands_for(self) -> Path:
        return self.path / "between.py"

    def write_agent_config(self, name: str) -> None:
        agent = {"cluster": name, "broker": self.listen, "state": f"{name}-agent.db",
                 "report_interval": "1s"}
        argv = [*self.program(), str(self.state(name))]
        (self.path / f"{name}.toml").write_text(
            table("[agent]", agent) + table("[workload]", {"manager": "command"})
            + table("[workload.command]", {"argv": argv}))

    def made(self) -> None:
        """West has work for five, and runs one job on big1."""
        self.start()
        self.submit("west", *[(f"w{number}", LONG_S) for number in range(5)])
        self.wait_for_lease(phase="active", consumer_slots__used=1)

    def moved(self) -> None:
        self.made()
        wait_until(self.rebalances, "slots move")
        self.wait_for_lease(phase="active", in_transfer=0, consumer_slots__used=4)

    def rebalances(self) -> bool:
        """Until it has moved any: a report on its way may have put it off, and nothing else is due."""
        self.ctl("rebalance", "pool:west")
        lease = self.lease()
        return lease["phase"] == "inactive" or lease["flips"] > 0

    # What goes wrong

    def breaks(self, name: str, *requests: str) -> None:
        self.state(name).with_suffix(".broken").write_text(" ".join(requests))

    def is_deaf(self, name: str, *requests: str) -> None:
        self.state(name).with_suffix(".deaf").write_text(" ".join(requests))

    def works(self, name: str) -> None:
        for kind in (".broken", ".deaf"):
            self.state(name).with_suffix(kind).unlink(missing_ok=True)

    def starts_past_the_scheduler(self, name: str, job: str, host: str) -> None:
        with self.toy(name) as toy:
            toy["jobs"].append({**self.new_job(job, LONG_S), "host": host, "started": time.time()})

    def ends(self, name: str, *jobs: str) -> None:
        with self.toy(name) as toy:
            toy["jobs"] = [job for job in toy["jobs"] if job["id"] not in jobs]

    def has_hosts(self, name: str, hosts: dict[str, int]) -> None:
        with self.toy(name) as toy:
            toy["hosts"] = hosts

    def attention(self) -> list[dict]:
        return self.ask("attention")

    def second_agent(self, name: str) -> Daemon:
        """Of the same cluster, with a state file of its own."""
        self.second = second = Daemon("lease-agent", f"second agent of {name}", self.path / f"{name}-second.toml")
        text = self.agents[name].config.read_text()
        second.config.write_text(text.replace(f"{name}-agent.db", f"{name}-second.db"))
        second.start()
        return second

    def kill_all(self) -> None:
        with contextlib.suppress(AttributeError):
            self.second.kill9()
        super().kill_all()


