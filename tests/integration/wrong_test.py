"""The guide's page of what goes wrong: each alarm of `leasectl attention` is raised among real
processes, looks as the page shows it, and is gone once what stands under "Do" was done.

wrong_test.py --write writes what is shown anew. Times are not compared."""
import re
import sys
import unittest

import page_commands
import side_by_side
from clock_test import CLOCK, SteppedClock
from configs import table
from processes import ROOT, Timeout, run, wait_until
from wrong_site import WrongSite

PAGE = ROOT / "broker/guide/when-things-go-wrong.md"
ENTRY = re.compile(r"^## (?P<kind>[a-z-]+)\n(?P<text>.*?)(?=^## |\Z)", re.M | re.S)
SHOWN = re.compile(r"```console\n(\$ leasectl attention\n.*?)```", re.S)
ORDERED = re.compile(r"<!-- on (?P<machine>\w+) -->\n```sh\n(?P<body>.*?)\n```\n", re.S)
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|\b1m(\d+s)?(\d+ms)?\b")
WORDS = ("**Means:**", "**Look at:**", "**Do:**")


def entries() -> dict[str, str]:
    return {each["kind"]: each["text"] for each in ENTRY.finditer(PAGE.read_text())}


class Scene:
    """An alarm: `raised` on a site, and `mended` by what is no command of the page."""

    policy: dict = {}
    more = ""

    def __init__(self) -> None:
        self.site = WrongSite(self.policy, self.more)

    def raised(self) -> None:
        raise NotImplementedError

    def mended(self) -> None:
        """What the page says in words."""


class Breach(Scene):
    def raised(self) -> None:
        self.site.made()
        self.site.starts_past_the_scheduler("west", "by-hand", "big1@east")

    def mended(self) -> None:
        self.site.ends("west", "by-hand")


class Overdue(Scene):
    def raised(self) -> None:
        self.site.moved()
        self.site.is_deaf("west", "requeue", "interrupt")
        self.site.order("close", "big1@east", "--for", "west", "--reclaim", "--until", "1h")

    def mended(self) -> None:
        self.site.ends("west", *[f"w{number}" for number in range(5)])


class AgentLost(Scene):
    def raised(self) -> None:
        self.site.settings["agent_timeout"] = "10s"
        self.site.write_broker_config()
        self.site.made()
        self.site.agents["west"].kill9()


class AgentStopped(Scene):
    def raised(self) -> None:
        self.site.made()
        self.site.agents["west"].stop()


class AgentRefused(Scene):
    def raised(self) -> None:
        self.site.made()
        self.second = self.site.second_agent("west")

    def mended(self) -> None:
        """A broker that is started again need not be waited for ten minutes."""
        self.second.kill9()
        self.site.broker.stop()
        self.site.start_broker()
        self.site.wait_for_agents()


class Degraded(Scene):
    def raised(self) -> None:
        self.site.made()
        self.site.breaks("west", "read")

    def mended(self) -> None:
        self.site.works("west")


class CannotFence(Scene):
    policy = {"mem_mb": 1000}

    def raised(self) -> None:
        self.site.settings["reclaim_delay"] = "1s"  # it is found when the lease is evaluated
        self.site.write_broker_config()
        self.site.start()


class HostUnknown(Scene):
    policy = {"hosts": ["bgi1"]}

    def raised(self) -> None:
        self.site.start()


class HostMissing(Scene):
    def raised(self) -> None:
        self.site.made()
        self.site.has_hosts("east", {"other1": 8})

    def mended(self) -> None:
        self.site.has_hosts("east", {"big1": 8})


class HostTooSmall(Scene):
    policy = {"slots_per_host": 12}

    def raised(self) -> None:
        self.site.start()


class HostIndivisible(Scene):
    def raised(self) -> None:
        with (self.site.path / "east.toml").open("a") as config:
            config.write(table("[hosts]", {"divisible": "no"}))
        self.site.start()


class OrderForgotten(Scene):
    def raised(self) -> None:
        self.site.made()
        self.site.order("freeze", "--reason", "new switches")


class ClockDiffers(Scene):
    def raised(self) -> None:
        self.clock = SteppedClock(self.site, self.site.agents["west"])
        self.clock.step(90_000)
        self.site.made()

    def mended(self) -> None:
        self.clock.step(0)


class OverRate(Scene):
    more = table("[limits]", {"record_mb_per_hour": 1})

    def raised(self) -> None:
        self.site.made()
        for number in range(100):
            reported = self.site.flow("west")["last_report"]
            hosts = {f"{'ab'[number % 2]}{host}": 1 for host in range(2000)}
            self.site.has_hosts("west", {"small1": 1, **hosts})
            wait_until(lambda: self.site.flow("west")["last_report"] != reported, "it reports")
            if self.site.flow("west")["late_since"]:
                break

    def mended(self) -> None:
        self.site.has_hosts("west", {"small1": 1})


SCENES = {"breach": Breach, "overdue": Overdue, "agent-lost": AgentLost,
          "agent-stopped": AgentStopped, "agent-refused": AgentRefused, "degraded": Degraded,
          "cannot-fence": CannotFence, "host-unknown": HostUnknown,
          "host-missing": HostMissing, "host-too-small": HostTooSmall,
          "host-indivisible": HostIndivisible, "order-forgotten": OrderForgotten,
          "clock-differs": ClockDiffers, "over-rate": OverRate}
# Real processes end a quarantine as soon as all are heard, only some workload managers tell of
# reservations and of shapes of work, and a broker that leads alone neither stands by nor lacks a leader.
NOT_RAISED = {"cannot-lead",  # tests/postgres/two_sites_test.py
              "configuration-not-read",  # tests/integration/stuck_file_test.py
              "nobody-leads",  # tests/postgres/nobody_leads_test.py
              "tables-not-made",  # tests/integration/tables_test.py
              "host-down",  # only after agent_timeout
              "host-reserved", "owner-waits", "quarantine", "offer-too-small",
              "rule-not-written"}
BESIDES = {"host-missing": {"host-unknown"}}
WITH_A_CLOCK = {"clock-differs"}


def kinds(site) -> set[str]:
    return {row["kind"] for row in site.attention()}


def shown(site, kind: str, wanted: str) -> str:
    """What `leasectl attention` prints once this is told of, without times. On a full machine an agent
    may be lost for a moment, which is told, too."""
    expected, seen = {kind} | BESIDES.get(kind, set()), ""

    def as_wanted() -> bool:
        nonlocal seen
        if kinds(site) != expected:
            return False
        seen = TIME.sub("TIME", f"$ leasectl attention\n{site.ctl('attention').stdout.rstrip()}\n")
        return seen == wanted

    try:
        wait_until(as_wanted, f"{kind} is told of")
    except Timeout:
        if not seen:
            raise
    return seen


def ordered(site, machine: str, command: str) -> None:
    systemctl, agent = "sudo systemctl ", site.agents[machine]
    if command.startswith(systemctl):
        verb = command.removeprefix(systemctl)
        assert verb in ("start lease-agent", "restart lease-agent"), command
        if verb.startswith("restart"):
            agent.stop()
        agent.start()
    elif command.startswith("leasectl "):
        site.order(*command.split()[1:])
    else:
        text = command.removeprefix("sudo ").replace("/etc/leasehold/broker.toml",
                                                     str(site.broker.config))
        done = run("sh", "-eu", "-c", text)
        assert done.returncode == 0, f"{command}: {done.stderr}"


class Alarms(unittest.TestCase):
    maxDiff = None

    def goes(self, kind: str) -> None:
        """As the page says: seen, mended, gone."""
        if kind in WITH_A_CLOCK and not CLOCK.exists():
            self.skipTest("sanitized programs take no clock of ours")
        text, scene = entries()[kind], SCENES[kind]()
        with scene.site as site:
            scene.raised()
            wanted = TIME.sub("TIME", SHOWN.search(text)[1])
            self.assertEqual(shown(site, kind, wanted), wanted)
            scene.mended()
            for block in ORDERED.finditer(text):
                for command in page_commands.commands_in(block["body"]):
                    ordered(site, block["machine"], command)
            wait_until(lambda: kind not in kinds(site), f"{kind} is gone")

    def test_that_there_are_have_each_an_entry_with_all_its_parts(self) -> None:
        source = (ROOT / "broker/views/attention/needs.hpp").read_text()
        there = re.findall(r'\{\w+, "([a-z-]+)"\}', source)
        self.assertEqual(list(entries()), there)
        self.assertEqual(list(SCENES), [kind for kind in there if kind not in NOT_RAISED])
        for kind in NOT_RAISED:
            self.assertIn("No test raises it", entries()[kind])
        for kind, text in entries().items():
            self.assertEqual([word for word in WORDS if word not in text], [], kind)


def add(kind: str) -> None:
    setattr(Alarms, f"test_{kind.replace('-', '_')}_is_as_the_page_says",
            lambda self: self.goes(kind))


for each in SCENES:
    add(each)


def write() -> None:
    for kind in sys.argv[2:] or SCENES:
        scene = SCENES[kind]()
        with scene.site as site:
            scene.raised()
            seen = shown(site, kind)
        text = PAGE.read_text()
        entry = entries()[kind]
        PAGE.write_text(text.replace(entry, SHOWN.sub(lambda _: f"```console\n{seen}```", entry)))
        print(kind, flush=True)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        side_by_side.main()
