"""Scenes that several tests play: the same two clusters, told apart by what they run.

east has big1 with 8 slots, of which policy `pool` exports 4 to west; west has one slot of its own.
"""
import contextlib
import sqlite3
from contextlib import closing

from configs import POOL, Cluster, Job
from leasehold_site import Site
from processes import wait_until

LONG_S = 36_000  # what is there for good, on whatever machine
# Of sites that tests of something else than times use: however slow the machine is, nobody gives anybody up.
PATIENT = {"agent_timeout": "10m", "transfer_timeout": "10m"}


def two_clusters(east_jobs=(), west_jobs=(), **settings) -> Site:
    return Site({"east": Cluster({"big1": 8}, list(east_jobs)),
                 "west": Cluster({"small1": 1}, list(west_jobs))}, **settings)


def still_site(**settings) -> Site:
    """Nothing is evaluated until an operator says `rebalance`; west wants five slots for good."""
    broker = {"reclaim_delay": "1h", **settings.pop("broker", {})}
    return two_clusters((), [Job(0, LONG_S)] * 5, broker=broker, **settings)


def made(site: Site) -> Site:
    """Starts a still site and waits until the lease is made: west runs on the one slot offered."""
    site.start()
    site.wait_for_lease(phase="active", consumer_slots__used=1)
    return site


def made_anew(site: Site) -> None:
    """As `made`, of a still site that has gone on: its policies are taken away, and the slots that west has."""
    with changed(site, policies=[]):
        site.order("close", "big1@east", "--for", "west", "--reclaim")
        wait_until(lambda: not site.ask("leases"), "no lease is left")
    site.order("open", "big1@east", "--for", "west")
    site.wait_for_lease(phase="active", in_transfer=0, consumer_slots__used=1)


def brought_home(site: Site) -> None:
    """The provider holds all that west had, by an order; nothing moves before the next rebalance."""
    site.order("close", "big1@east", "--for", "west", "--reclaim")
    site.wait_for_lease(phase="active", in_transfer=0, provider_slots__available=4, consumer_slots__available=0)
    site.order("open", "big1@east", "--for", "west")


@contextlib.contextmanager
def changed(site: Site, policies=None, more=None, **settings):
    """Another configuration is in force for the time of a `with`, then the one before."""
    before = site.policies, site.more, site.settings
    site.policies = before[0] if policies is None else policies
    site.more = before[1] if more is None else more
    site.settings = {**before[2], **settings}
    reloaded(site)
    yield
    site.policies, site.more, site.settings = before
    reloaded(site)


def reloaded(site: Site) -> None:
    site.write_broker_config()
    site.order("reload", "--yes")


def moved(site: Site) -> None:
    """After a rebalance of a still site: all four slots are west's, and in use."""
    site.wait_for_lease(phase="active", in_transfer=0, consumer_slots__available=4,
                        consumer_slots__used=4, provider_slots__available=0)
    site.check_ledgers()


def work_changes(site: Site, cluster: str, *, comes: int = 0, ends: bool = False) -> None:
    """What a cluster has to do changes when a test says so, not when a time has passed: all of it ends,
    so many jobs of one slot come, for good. Its agent is away for a moment. Jobs that came start when
    something else changes there: a limit, or another job's end."""
    agent = site.agents[cluster]
    status = agent.stop()
    assert status == 0, f"{agent.name} ended with {status}"
    with closing(sqlite3.connect(site.path / f"{cluster}-jobs.db")) as jobs, jobs:
        if ends:
            jobs.execute("UPDATE job SET run_ms = 1")
        jobs.executemany(
            "INSERT INTO job(id, state, arrival_ms, run_ms, width) SELECT coalesce(max(id), 0) + 1000000,"
            " 'queued', (SELECT number FROM fact WHERE key = 'virtual_ms'), ?, 1 FROM job",
            [(LONG_S * 1000,)] * comes)
    agent.start()
    agent.wait_for_log("event=started")


def busy_site(kind: type[Site] = Site, **broker) -> Site:
    """Both sides' work comes in bursts, and the lease is evaluated three times a second."""
    def bursts(busy: float, seed: int) -> dict:
        return {"generator": "bursts", "busy": busy, "period": "2s", "widths": [1, 2],
                "run_time": "300ms", "seed": seed}
    clusters = {"east": Cluster({"big1": 4, "big2": 4}, workload=bursts(0.4, 1)),
                "west": Cluster({"small1": 2}, workload=bursts(1.5, 2))}
    policy = {**POOL, "hosts": ["big1", "big2"], "slots_per_host": 3}
    return kind(clusters, [policy], broker={"reclaim_delay": "300ms", **broker})
