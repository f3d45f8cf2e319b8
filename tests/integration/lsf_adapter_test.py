"""manager = "lsf" against a program that stands in for LSF (tests/data/lsf/stand_in.py): what its
documentation says, not a real one."""
import json
import unittest
from pathlib import Path

import side_by_side
from configs import POOL, table
from processes import PROGRAMS, ROOT, run, wait_until
from scenes import LONG_S
from toy_site import ToySite

STAND_IN = ROOT / "tests/data/lsf/stand_in.py"
NAMES = ["bhosts", "bjobs", "lshosts", "bconf", "bkill", "bpost", "brequeue", "badmin", "lsid", "lsclusters"]


class LsfSite(ToySite):
    """east has big1; west has small1 and knows big1 as imp-big1, with 0 job slots until granted."""

    def __init__(self, **policy) -> None:
        super().__init__({"east": {"big1": 8}, "west": {"small1": 1}}, {"west": ["imp-big1"]},
                         policies=[{**POOL, **policy}])
        (self.path / "bin").mkdir()
        for name, hosts in self.clusters.items():
            mxj = {**hosts, **{host: 0 for host in self.imported.get(name, [])}}
            (self.path / name).mkdir()
            self.state(name).write_text(json.dumps(
                {"hosts": {host: {"mxj": slots, "closed": False} for host, slots in mxj.items()},
                 "jobs": []}))

    def stands_for(self) -> Path:
        return STAND_IN

    def names(self) -> list[Path]:
        return [self.path / "bin" / name for name in NAMES]

    def state(self, name: str) -> Path:
        return self.path / name / "state.json"

    def write_agent_config(self, name: str) -> None:
        agent = {"cluster": name, "broker": self.listen, "state": f"{name}-agent.db",
                 "report_interval": "2s"}
        lsf = {"env_dir": str(self.path / name), "bin_dir": str(self.path / "bin"),
               "settle": "400ms"}
        (self.path / f"{name}.toml").write_text(
            table("[agent]", agent) + table("[hosts]", {"rule": "imp-{host}"})
            + table("[workload]", {"manager": "lsf"})
            + table("[workload.lsf]", lsf))

    def new_job(self, job: str, run_s: float) -> dict:
        return {"id": job, "slots": 1, "run_s": run_s, "queue": "normal", "host": None,
                "started": None, "signals": []}

    def slots(self, name: str, host: str) -> int:
        with self.toy(name) as state:
            return state["hosts"][host]["mxj"]


class Lsf(unittest.TestCase):
    def test_lends_its_slots_and_has_them_back_as_jobs_end(self) -> None:
        with LsfSite() as site:
            self.assertEqual(site.slots("west", "imp-big1"), 0)
            site.start()
            site.submit("west", *[(str(number), LONG_S) for number in range(1, 6)])
            site.wait_for_lease(phase="active", consumer_slots__used=4)
            self.assertEqual(site.slots("east", "big1"), 4)
            wait_until(lambda: site.slots("west", "imp-big1") == 4, "all four are open")
            site.submit("east", *[(str(number), LONG_S) for number in range(11, 19)])
            site.end_all("west")
            site.wait_for_lease(provider_slots__used=4, consumer_slots__used=0)
            self.assertEqual(site.used("east", "big1"), 8)
            wait_until(lambda: site.slots("west", "imp-big1") == 0, "the imported host is closed")

    def test_counts_nothing_that_slots_would_not_start_and_tells_shapes_of_the_rest(self) -> None:
        with LsfSite() as site:
            site.start()
            with site.toy("west") as state:
                for job, more in {"1": {"reason": "Job dependency condition not satisfied;"},
                                  "2": {"reason": "The job has a specified start time;"},
                                  "3": {"slots": 16, "span": "span[ptile=8]", "limit": "30.0"},
                                  "4": {"slots": 9, "span": "span[hosts=1]"}}.items():
                    state["jobs"].append({**site.new_job(job, LONG_S), **more})

            def demand() -> list[tuple]:
                row, = site.ask("clusters", "-l", "--cluster", "west")
                return sorted((one["slots_per_host"], one["hosts"], one["limit"], one["slots"])
                              for one in row["work"]["demand"] or [])
            wait_until(lambda: demand() == [(8, 2, "1h", 16), (9, 1, "unknown", 9)],
                       "the broker knows the shapes")

    def test_tells_and_requeues_what_is_reclaimed(self) -> None:
        with LsfSite(reclaim_grace="1s") as site:
            site.start()
            site.submit("west", *[(str(number), LONG_S) for number in range(1, 4)])
            site.wait_for_lease(phase="active", consumer_slots__used=2)
            site.order("close", "big1@east", "--for", "west", "--reclaim")
            wait_until(lambda: site.used("west", "imp-big1") == 0, "the work is requeued")
            jobs = [site.job("west", str(number)) for number in range(1, 4)]
            told = [" ".join(job.get("posted", [])) for job in jobs]
            self.assertEqual(["it is ended in 1 seconds" in text for text in sorted(told)],
                             [False, True, True])
            self.assertEqual([job["signals"] for job in jobs], [[], [], []])
            site.wait_for_held(4, 0)
            wait_until(lambda: [row["fate"] for row in site.history("work-ended")] == ["requeued"] * 2,
                       "the history says what became of each")

    def test_that_is_down_frees_nothing_and_is_told_with_its_words(self) -> None:
        with LsfSite() as site:
            site.start()
            site.submit("west", *[(str(number), LONG_S) for number in range(1, 6)])
            site.wait_for_lease(phase="active", consumer_slots__used=4)
            (site.path / "west/down").touch()
            wait_until(lambda: site.flow("west")["agent"] == "degraded", "west is degraded")
            self.assertIn("LSF is down", site.agents["west"].log())
            self.assertEqual(site.held()[1], 4)
            (site.path / "west/down").unlink()
            site.agents["west"].wait_for_log("workload-recovered")

    def test_is_probed_with_what_lacks(self) -> None:
        with LsfSite() as site:
            answer = run(PROGRAMS / "lease-agent", "--config", site.path / "west.toml", "--probe", "--json")
            found = json.loads(answer.stdout)
            self.assertEqual([row["host"] for row in found["hosts"]], ["small1"])
            self.assertEqual(found["workload"], "lsf")
            self.assertEqual(found["hosts_lacking"], [])

    def test_is_not_content_at_a_probe_with_a_forgotten_rule(self) -> None:
        with LsfSite() as site:
            config = site.path / "west.toml"
            right = config.read_text()
            config.write_text(right.replace('rule = "imp-{host}"\n', ""))
            self.assertEqual(self.probed(config), [
                "[hosts] has neither rule nor map: hosts of other clusters would be called as in "
                "'big1@west', which this workload manager knows no host by; write rule = "
                '"imp-{host}" or what they are called here'])
            config.write_text(right)
            site.start()
            site.wait_for_lease(phase="offered", consumer_slots__available=1)
            self.assertEqual(self.probed(config, 0), [])
            self.assertEqual(self.probed(site.path / "east.toml", 0), [], "it lends only")
            site.agents["west"].stop()
            config.write_text(right.replace("imp-{host}", "far-{host}"))
            (lacking,) = self.probed(config)
            self.assertIn("big1@east is called 'far-big1' here", lacking)
            config.write_text(right)
            site.agents["west"].start()
            site.wait_for_agents()

    def probed(self, config: Path, code: int = 1) -> list[str]:
        answer = run(PROGRAMS / "lease-agent", "--config", config, "--probe", "--json")
        found = json.loads(answer.stdout)
        if not found["permissions_lacking"]:
            self.assertEqual(answer.returncode, code, answer.stdout)
        return found["hosts_lacking"]


if __name__ == "__main__":
    side_by_side.main()
