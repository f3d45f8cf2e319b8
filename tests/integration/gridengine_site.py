"""Two real Grid Engine cells on loopback under one broker: east provides its host big1, which west's
queue has as imp-big1, with 0 slots until some are granted. West's own host w1 has no daemon and runs
nothing. Not for simulated clusters (leasehold_site.py)."""
import contextlib
import sys
import tempfile
from pathlib import Path

from configs import Cluster, table
from leasehold_site import Site
from ports import Claim
from processes import wait_until
from scenes import LONG_S

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
from gridengine_cells import Cell, remove  # noqa: E402
from slot_watch import Looks, Watch  # noqa: E402

LONG = ("sleep", str(LONG_S))
# Grid Engine starts a job up to some seconds after its slot is open: evaluated sooner, the slot is idle.
BROKER = {"reclaim_delay": "3s", "leeway": "20s"}
HOSTS = {"rule": "imp-{host}"}
EVERY_S = 0.3  # a question to a cell starts a program


def pool(slots: int, host: str = "big1", **more) -> dict:
    return {"name": "pool", "provider": "east", "hosts": [host], "slots_per_host": slots,
            "distribution": [{"cluster": "west", "shares": 1}], "type": "shared", **more}


def agent_settings(site: Site, name: str) -> str:
    return table("[agent]", {"cluster": name, "broker": site.listen, "state": f"{name}-agent.db",
                             "report_interval": "2s"})


def gridengine_settings(cell: Cell, hosts: dict | None = None) -> str:
    return (table("[hosts]", hosts or HOSTS) + table("[workload]", {"manager": "gridengine"})
            + table("[workload.gridengine]", cell.agent_settings()))


class GridEngineSite(Site):
    def __init__(self, east: Cell, west: Cell, policies, broker=None,
                 verify=True) -> None:
        self.cells = {"east": east, "west": west}
        super().__init__({name: Cluster({}) for name in self.cells}, policies,
                         {**BROKER, **(broker or {})}, verify=verify)

    def write_agent_config(self, name: str) -> None:
        self.agents[name].config.write_text(
            agent_settings(self, name) + gridengine_settings(self.cells[name]))

    def check_ledgers(self) -> None:
        """What is enforced is in the schedulers themselves, not in files that ledgers.py reads."""

    def wait_for_slots(self, cluster: str, used: int, total: int) -> None:
        """On the leased host, by the scheduler's own word."""
        def as_wanted() -> bool:
            found = self.cells[cluster].slots_of()
            assert found == (used, total), f"{found[0]} of {found[1]}"
            return True
        wait_until(as_wanted, f"{cluster} uses {used} of {total} slots", every=EVERY_S)


class SlotWatch(Watch):
    """Two cells: slots of jobs as their masters count them, and jobs that live, of one slot each: a shepherd is
    a slot."""

    def __init__(self, slots: int, east: Cell, west: Cell) -> None:
        super().__init__(Looks("counted", east.work, west.work), Looks("alive", east.live_jobs, west.live_jobs))
        self.slots = slots

    def judge(self, kind: Looks, ours: dict, theirs: dict) -> None:
        used = sum(ours.values()), sum(theirs.values())
        if sum(used) > self.slots:
            self.breaches.append(f"{kind.name} {used}")


@contextlib.contextmanager
def two_cells(slots: int = 8):
    """(east, west)"""
    folder = Path(tempfile.mkdtemp(prefix="leasehold-ge-"))
    claim = Claim()
    try:
        ports = claim.ports
        with Cell(folder / "east", "big1", (ports[0], ports[1]), slots) as east, \
                Cell(folder / "west", "imp-big1", (ports[2], ports[3]), 0, further=("w1",)) as west:
            yield east, west
    finally:
        claim.release()
        remove(folder)
