"""kill -9 at each step of a transfer, then a restart: no slot twice, none lost, and in the end the
transfer is done, once.

On one still site, again and again, four slots move from east to west when an operator says so. One program
is told to stop at a step (--pause-at); there it, another or all three are killed, and all start again.
Kills at random, under load: tests/crash.
"""
import signal
import subprocess

import one_site
from leasehold_site import Site
from one_site import OnOneSite
from processes import PROGRAMS, wait_until
from scenes import PATIENT, brought_home, changed, made, moved, still_site

BROKER_STEPS = [f"{order}:{step}" for order in ("release", "grant")
                for step in ("before-commit", "after-commit", "after-send")]
# An agent's first order answers its hello; steps with :2 are those of the second, the transfer's.
LOSER_STEPS = ["order-received:2", "fence-enforced", "limit-persisted:2", "before-answer:2",
               "after-answer:2"]
WINNER_STEPS = ["order-received:2", "raise-persisted", "before-answer:2", "after-answer:2"]
PAUSES = ([("broker", step) for step in BROKER_STEPS] + [("east", step) for step in LOSER_STEPS]
          + [("west", step) for step in WINNER_STEPS])
EVERYONE = ("broker", "east", "west")
CASES = [(who, step, killed) for who, step in PAUSES
         for killed in ((who,), *(((other,) for other in EVERYONE if other != who)), EVERYONE)]


def daemon(site, who: str):
    return site.broker if who == "broker" else site.agents[who]


def restart_to_pause(site, who: str, step: str) -> None:
    """Starts `who` again, so that the next transfer stops it at `step`."""
    daemon(site, who).stop()
    if who == "broker":
        site.start_broker("--pause-at", step)
    else:
        daemon(site, who).start("--pause-at", step)
    site.wait_for_new_sessions()
    site.wait_for_lease(phase="active", provider_slots__available=4, in_transfer=0)


def rebalance_in_background(site) -> subprocess.Popen:
    """The broker may be stopped or killed before it answers."""
    return subprocess.Popen([PROGRAMS / "leasectl", "rebalance", "pool:west", "--broker",
                             site.control], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_again(site) -> None:
    if not site.broker.running():
        site.start_broker()
    for agent in site.agents.values():
        if not agent.running():
            agent.start()
    site.wait_for_agents()


def all_moved(site) -> bool:
    """True once west has all four. Where the transfer was undone it is asked for again, as the next
    evaluation would."""
    row = site.lease()
    if row["consumer_slots"]["used"] == 4 and row["phase"] == "active":
        return True
    if row["phase"] == "active" and row["consumer_slots"]["available"] == 0:
        site.ctl("rebalance", "pool:west")
    return False


def events_since(site, last: int, *kinds: str) -> list[dict]:
    return [row for row in site.history(*kinds) if row["id"] > last]


def play(site: Site, case) -> None:
    who, step, killed = case
    brought_home(site)
    restart_to_pause(site, who, step)
    last = site.ask("history")[-1]["id"]
    operator = rebalance_in_background(site)
    try:
        daemon(site, who).wait_until_paused(step)
        if who != "broker":
            assert len(events_since(site, last, "transfer-started")) == 1, "paused in another transfer"
        site.check_ledgers()
        for each in killed:
            daemon(site, each).kill9()
        site.check_ledgers()
        if who not in killed:
            daemon(site, who).kill9()
    finally:
        operator.kill()
        operator.wait()
    start_again(site)
    wait_until(lambda: all_moved(site), "the transfer is done", every=0.2)
    moved(site)
    done_once(site, last)


def done_once(site, last: int) -> None:
    """Four slots went over to west, once: what went back came again. A transfer that was undone before west
    was granted anything gives east its own back."""
    gained = returned = granted = 0
    for row in events_since(site, last, "transfer-started", "transfer-granted"):
        if row["kind"] == "transfer-started":
            granted = 0
        elif row["to"] == "west":
            granted += row["slots"]
            gained += row["slots"]
        else:
            returned += min(granted, row["slots"])
    assert gained - returned == 4, f"{gained} slots granted to west, {returned} to east"


class OnAMovedSite(OnOneSite):
    """All four slots are west's, and in use."""

    def site_for_all(self) -> Site:
        return still_site(broker=PATIENT)

    def begin(self) -> None:
        made(self.site)
        self.site.order("rebalance", "pool:west")

    def as_found(self) -> None:
        moved(self.site)


class KilledAtAStep(OnAMovedSite):
    """Its tests are made from the cases: test_broker_release_after_commit_all."""


def case_test(case):
    return lambda self: play(self.site, case)


def case_name(case) -> str:
    who, step, killed = case
    whom = "all" if killed == EVERYONE else killed[0]
    return f"test_{who}_{step}_{whom}".replace("-", "_").replace(":", "_")


for each_case in CASES:
    setattr(KilledAtAStep, case_name(each_case), case_test(each_case))


class KilledWithoutWarning(OnAMovedSite):
    def test_agents_and_broker_come_back_to_what_they_had(self) -> None:
        for killed in (("broker",), ("east",), ("west",), EVERYONE):
            with self.subTest(killed=killed):
                for each in killed:
                    daemon(self.site, each).kill9()
                self.site.check_ledgers()
                start_again(self.site)
                moved(self.site)

    def test_an_agent_that_hangs_keeps_its_slots_and_the_transfer_is_undone(self) -> None:
        site = self.site
        brought_home(site)
        with changed(site, transfer_timeout="1s"):
            last = site.ask("history")[-1]["id"]
            site.agents["east"].signal(signal.SIGSTOP)
            site.order("rebalance", "pool:west")
            wait_until(lambda: [row for row in events_since(site, last, "transfer-failed")
                                if row["reason"] == "transfer-timeout"], "the transfer fails")
            self.assertEqual(site.held(), (4, 0))
            site.check_ledgers()
            site.agents["east"].signal(signal.SIGCONT)
            wait_until(lambda: all_moved(site), "the next one succeeds", every=0.3)
            moved(site)

    def test_an_agent_that_lost_its_state_takes_over_the_fences_it_finds(self) -> None:
        """It is another agent to the broker, which waits until the one before is lost."""
        with changed(self.site, agent_timeout="2s"):
            for name, agent in self.site.agents.items():
                agent.kill9()
                for path in self.site.path.glob(f"{name}-agent.db*"):
                    path.unlink()
                agent.start()
            self.site.wait_for_new_sessions()
            moved(self.site)


if __name__ == "__main__":
    one_site.main()
