"""The guide's pages "in ten commands": each of their commands, beside real Slurm and real Grid Engine
daemons, until the first lease is seen, in ten, and then until slots flip.

What is other than on the page: paths and ports; packages and systemd, for which processes of the test
stand (tests/packages/first_flip.py runs the same pages with both); and who `sudo` makes one."""
import os
import re
import shlex
import sys
import unittest
from pathlib import Path

import page_commands
import side_by_side
from gridengine_site import GridEngineSite, two_cells
from processes import PROGRAMS, ROOT, run, wait_until
from scenes import LONG_S
from slurm_site import SlurmSite, two_slurm_clusters

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
from gridengine_cells import lacking  # noqa: E402
from slurm_clusters import installed  # noqa: E402

SUDO = '#!/bin/sh\n[ "$1" = -u ] && shift 2\nexec "$@"\n'
TEN = 10


class Typist:
    """Types a page's commands on the machines of a site."""

    def __init__(self, site, page: str, settings: dict[str, dict[str, str]]) -> None:
        self.site = site
        self.commands = page_commands.typed(ROOT / page)
        self.settings = settings  # by machine: what stands on the page, and what is meant there
        self.answers: list[tuple[str, str]] = []
        for config in [site.broker.config, *(agent.config for agent in site.agents.values())]:
            config.unlink(missing_ok=True)
        (site.path / "bin").mkdir()
        (site.path / "bin/sudo").write_text(SUDO)
        (site.path / "bin/sudo").chmod(0o755)

    def type(self, *sections: str) -> None:
        for each in self.commands:
            if each.section in sections:
                self._type(each.machine, each.command)

    def answer(self, command: str) -> str:
        return next(said for typed, said in self.answers if typed == command)

    def _type(self, machine: str, command: str) -> None:
        if command.startswith("sudo apt "):
            self._install(machine, command)
        elif command.startswith("sudo systemctl "):
            self._order(machine, command.removeprefix("sudo systemctl "))
        else:
            self._run(machine, command)

    def _install(self, machine: str, command: str) -> None:
        """The broker's package starts it with the file that it brings; an agent waits for its own."""
        for package in re.findall(r"\./(leasehold-\w+)_", command):
            assert package in ("leasehold-broker", "leasehold-ctl", "leasehold-agent"), package
        if "leasehold-broker" in command:
            text = (ROOT / "config/packages/broker.toml").read_text()
            text += 'listen = "tcp://127.0.0.1:7440"\ncontrol = "tcp://127.0.0.1:7441"\n'
            self.site.broker.config.write_text(self._meant(machine, text))
            self.site.start_broker()

    def _order(self, machine: str, words: str) -> None:
        daemon = self.site.broker if "lease-broker" in words else self.site.agents[machine]
        if words == "reload lease-broker":
            before = daemon.log().count("event=config-loaded")
            daemon.signal(1)
            wait_until(lambda: daemon.log().count("event=config-loaded") > before, "it is reloaded")
        else:
            assert words == "enable --now lease-agent", words
            daemon.start()

    def _meant(self, machine: str, text: str) -> str:
        site = self.site
        for written, meant in {
                **self.settings[machine],
                "tcp://127.0.0.1:7440": site.listen, "tcp://127.0.0.1:7441": site.control,
                "[broker]\n": '[broker]\nhttp = ""\n', 'cluster = "east"\n': f'cluster = "{machine}"\n',
                "/etc/leasehold/broker.toml": str(site.broker.config),
                "/etc/leasehold/agent.toml": str(site.agents[machine].config),
                "/etc/systemd": f"{site.path}/{machine}/systemd",
                "/var/lib/leasehold-agent/agent.db": f"{site.path}/{machine}-agent.db",
                "/var/lib/leasehold/": f"{site.path}/"}.items():
            text = text.replace(written, meant)
        return text

    def _run(self, machine: str, command: str) -> None:
        path = f"{self.site.path}/bin:{PROGRAMS}:{os.environ['PATH']}"
        done = run("sh", "-eu", "-c", self._meant(machine, command), cwd=self.site.path,
                   env={**os.environ, "LEASEHOLD_BROKER": self.site.control, "PATH": path})
        assert done.returncode == 0, f"{command}\n-> {done.returncode}\n{done.stdout}{done.stderr}" \
            f"{self.site.broker.log()}"
        self.answers.append((command, done.stdout))


class Pages(unittest.TestCase):
    def first_lease_is_seen(self, typist: Typist, agents: str, closed) -> None:
        """By the ten commands; and it leases nothing yet."""
        site = typist.site
        typist.type("The broker", agents)
        site.wait_for_agents()
        closed()
        typist.type("Look")
        seen = {each.number for each in typist.commands if each.section != "Let it lend"}
        self.assertEqual(len(seen), TEN)
        self.assertIn("pool:west", typist.answer("leasectl leases"))
        self.assertIn("observe", typist.answer("leasectl leases"))
        self.assertEqual(site.held(), (6, 0))

    def slots_flip(self, typist: Typist) -> None:
        site = typist.site
        wait_until(lambda: site.history("observed") or site.history("evaluation"), "it observes")
        self.assertEqual(site.flips(), 0)
        typist.type("Let it lend")
        self.assertNotIn("fault", typist.answer("leasectl doctor"))
        wait_until(site.flips, "slots flip")


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class BesideSlurm(Pages):
    def test_ten_commands_show_the_first_lease_and_three_more_let_it_flip(self) -> None:
        with two_slurm_clusters() as (east, west), SlurmSite(east, west, []) as site:
            west.run("scontrol", "update", "NodeName=imp-p1", "State=DRAIN", "Reason=leasehold")  # as slurm.conf
            typist = Typist(site, "broker/guide/beside-slurm.md", {
                each.name: {"scontrol": f"env SLURM_CONF={each.config} {tool(each, 'scontrol')}",
                            'conf = "/etc/slurm/slurm.conf"':
                            f'conf = "{each.config}"\nbin_dir = "{each.bin_dir}"'}
                for each in (east, west)})
            self.first_lease_is_seen(typist, "An agent beside each cluster",
                                     lambda: site.wait_for_fence("west", "imp-p1", 8))
            for _ in range(10):
                west.submit(1, f"sleep {LONG_S}")
            self.slots_flip(typist)
            site.wait_for_running("west", "imp-p1", 6)


@unittest.skipIf(lacking(), lacking())
class BesideGridEngine(Pages):
    def test_ten_commands_show_the_first_lease_and_three_more_let_it_flip(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, []) as site:
            typist = Typist(site, "broker/guide/beside-gridengine.md", {
                each.name: {'root  = "/var/lib/gridengine"': f'root = "{each.root}"',
                            'cell  = "default"': f'cell = "{each.name}"\nbin_dir = "{each.folder}/bin"\n'
                            f"qmaster_port = {each.ports[0]}\nexecd_port = {each.ports[1]}",
                            "qstat": f"env {shell_words(each.environment)} {each.folder}/bin/qstat",
                            "qconf": f"env {shell_words(each.environment)} {each.folder}/bin/qconf"}
                for each in (east, west)})
            self.first_lease_is_seen(typist, "An agent beside each cell",
                                     lambda: site.wait_for_slots("west", 0, 0))
            for _ in range(10):
                west.submit("sleep", str(LONG_S))
            self.slots_flip(typist)
            site.wait_for_slots("west", 6, 6)


def tool(cluster, name: str) -> str:
    return shlex.join([str(word) for word in cluster.programs.command(name)])


def shell_words(environment: dict[str, str]) -> str:
    return " ".join(shlex.quote(f"{key}={value}") for key, value in environment.items()
                    if key.startswith("SGE_"))


if __name__ == "__main__":
    side_by_side.main(of_places=2)
