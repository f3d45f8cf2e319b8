"""A Slurm cluster lends to a Grid Engine cell: both real, under one broker."""
import sys
import tempfile
import unittest
from pathlib import Path

import side_by_side
from configs import Cluster, table
from gridengine_site import BROKER, agent_settings, gridengine_settings
from leasehold_site import Site
from ports import Claim
from processes import wait_until
from scenes import LONG_S

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
from gridengine_cells import Cell, lacking, remove  # noqa: E402
from slurm_clusters import SlurmCluster, installed  # noqa: E402

POLICY = {"name": "pool", "provider": "east", "hosts": ["p1"], "slots_per_host": 6,
          "distribution": [{"cluster": "west", "shares": 1}], "type": "shared"}


class MixedSite(Site):
    def __init__(self, east: SlurmCluster, west: Cell) -> None:
        self.east = east
        self.west = west
        super().__init__({"east": Cluster({}), "west": Cluster({})}, [POLICY], BROKER)

    def write_agent_config(self, name: str) -> None:
        if name == "west":
            workload = gridengine_settings(self.west)
        else:
            workload = (table("[hosts]", {"rule": "imp-{host}"})
                        + table("[workload]", {"manager": "slurm"})
                        + table("[workload.slurm]", {"conf": str(self.east.config)}))
        self.agents[name].config.write_text(agent_settings(self, name) + workload)

    def check_ledgers(self) -> None:
        """What is enforced is in the schedulers themselves."""

    def in_use(self) -> tuple[int, int]:
        return self.east.running("p1"), self.west.slots_of()[0]


@unittest.skipIf(lacking(), lacking())
@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class ALease(unittest.TestCase):
    def test_goes_from_slurm_to_grid_engine_and_back(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="leasehold-mixed-"))
        claim = Claim()
        self.addCleanup(claim.release)
        self.addCleanup(remove, folder)
        most = []

        def uses(wanted: tuple[int, int]) -> bool:
            found = site.in_use()  # slots go west to east: what is seen is never more than there was
            most.append(sum(found))
            self.assertEqual(found, wanted)
            return True

        with SlurmCluster("east", {"p1": 8}) as east, \
                Cell(folder / "west", "imp-p1", (claim.ports[0], claim.ports[1]), 0) as west, \
                MixedSite(east, west) as site:
            site.start()
            site.wait_for_agents()
            over = west.folder / "over"  # the jobs end when they have been seen
            jobs = [west.submit_script(f"until [ -e {over} ]; do sleep 0.5; done") for _ in range(6)]
            wait_until(lambda: uses((0, 6)), "the consumer's jobs run on leased slots")
            self.assertLessEqual(set(jobs), set(west.jobs()))
            for _ in range(8):
                east.submit(1, f"sleep {LONG_S}")
            wait_until(lambda: uses((2, 6)), "the provider has what it has not lent")
            over.touch()
            wait_until(lambda: uses((8, 0)), "the provider has all of its slots again")
            self.assertEqual(max(most), 8)


if __name__ == "__main__":
    side_by_side.main(of_places=2)
