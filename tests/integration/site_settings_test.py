"""What a site or a user sets for its workload manager's own programs changes nothing that an agent reads
or does: variables of the environment it is started in, files that the programs read. Real Slurm, real
Grid Engine."""
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

import side_by_side
from configs import table
from ports import Claim
from processes import PROGRAMS, run, wait_until
from scenes import LONG_S

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
from gridengine_cells import Cell, lacking, remove  # noqa: E402
from slurm_clusters import SlurmCluster, installed  # noqa: E402


def probe(folder: Path, name: str, workload: str, environment: dict[str, str]) -> dict:
    """What `lease-agent --probe` sees in this environment."""
    config = folder / f"{name}.toml"
    config.write_text(table("[agent]", {"cluster": name, "broker": f"ipc://{folder}/broker",
                                        "state": str(folder / f"{name}.db")})
                      + table("[hosts]", {"rule": "imp-{host}"}) + workload)
    done = run(PROGRAMS / "lease-agent", "--config", config, "--probe", "--json",
               env={**os.environ, **environment})
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class Slurm(unittest.TestCase):
    def test_variables_of_its_programs_hide_no_job_that_waits(self) -> None:
        with SlurmCluster("east", {"p1": 2}) as east, tempfile.TemporaryDirectory() as folder:
            workload = (table("[workload]", {"manager": "slurm"})
                        + table("[workload.slurm]", {"conf": str(east.config), "bin_dir": east.bin_dir}))
            first = [east.submit(1, f"sleep {LONG_S}") for _ in range(2)]
            wait_until(lambda: east.running() == 2, "two jobs run")
            for _ in range(3):
                east.submit(1, f"sleep {LONG_S}")
            set_by_a_user = {"SQUEUE_PARTITION": "other", "SQUEUE_USERS": "nobody", "SQUEUE_STATES": "R",
                             "SLURM_CLUSTERS": "far", "SCONTROL_FUTURE": "1", "SLURM_CONF": "/nowhere"}
            seen = probe(Path(folder), "east", workload, set_by_a_user)
            self.assertEqual((seen["running"], seen["pending"]), (2, 3))
            self.assertLessEqual(set(first), {east.jobs()[at].id for at in range(5)})


@unittest.skipIf(lacking(), lacking())
class GridEngine(unittest.TestCase):
    def test_its_files_of_options_hide_no_job_that_waits(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="leasehold-settings-"))
        claim = Claim()
        self.addCleanup(claim.release)
        self.addCleanup(remove, folder)
        with Cell(folder / "east", "big1", claim.ports[:2], 2) as east:
            workload = (table("[workload]", {"manager": "gridengine"})
                        + table("[workload.gridengine]", east.agent_settings()))
            for _ in range(4):
                east.submit("sleep", str(LONG_S))
            wait_until(lambda: east.slots_of()[0] == 2, "two jobs run")
            common = east.root / east.name / "common"
            (common / "sge_qstat").write_text("-s r\n")
            seen = probe(folder, "east", workload, {"SGE_CELL": "other", "SGE_LONG_QNAMES": "60"})
            self.assertEqual((seen["running"], seen["pending"]), (2, 2))
            (common / "sge_qstat").write_text("-q other.q\n")
            with self.assertRaisesRegex(AssertionError, "sge_qstat gives qstat the option -q"):
                probe(folder, "east", workload, {})


if __name__ == "__main__":
    side_by_side.main(of_places=2)
