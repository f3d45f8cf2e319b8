"""A site with a cold standby: two brokers' configurations, of the same key, on two addresses, of which
one runs; agents that have both in their list. Each broker has a folder of its own, as on two machines.

Keys and listeners as machines have them (secure_site.py).
"""
import threading
import time

import ledgers
from configs import POOL, Cluster
from processes import PROGRAMS, Daemon, run, wait_until
from secure_site import SecureSite, outer_address


class ColdSite(SecureSite):
    """The site's own broker is the first; `standby` is the other."""

    def __init__(self, clusters: dict[str, Cluster], policies=(POOL,), **settings) -> None:
        super().__init__(clusters, policies, **settings)
        self.operators["standby"] = "admin"
        self.write_broker_config()
        ports = self.claim.ports
        folder = self.path / "standby"
        folder.mkdir()
        self.places = {"first": (self.broker, self.listen, self.control, self.database)}
        self.places["standby"] = (Daemon("lease-broker", "standby", folder / "broker.toml"),
                                  *(f"tcp://{outer_address()}:{port}" for port in ports[2:4]),
                                  folder / "leasehold.db")
        self.copy = folder / "copies" / "leasehold.db"
        self.copy.parent.mkdir()
        self.prepare_standby()
        for name, cluster in clusters.items():
            cluster.agent["broker"] = [place[1] for place in self.places.values()]
            self.write_agent_config(name)

    def prepare_standby(self) -> None:
        """The same file and the same key; here the machine is a port."""
        daemon, listen, control, _ = self.places["standby"]
        text = self.broker.config.read_text()
        daemon.config.write_text(text.replace(self.listen, listen).replace(self.control, control))
        key = self.key("broker")["file"]
        (daemon.config.parent / key.name).write_bytes(key.read_bytes())
        (daemon.config.parent / key.name).chmod(0o600)

    def look_at(self, place: str) -> None:
        """Whom ctl() asks, start_broker() starts, and whose database is verified in the end."""
        self.broker, self.listen, self.control, self.database = self.places[place]

    def pull(self, *options: str):
        """As leasehold-backup.service does it on the machine that stands by."""
        return self.ctl("backup", str(self.copy), "--keep", "3", *options, operator="standby")

    def restore(self, place: str, copy) -> None:
        """What lies at that place is moved away, but for the number of its last commit."""
        database = self.places[place][3]
        for end in ("", "-wal", "-shm"):
            left = database.with_name(database.name + end)
            if left.exists():
                left.rename(database.with_name(f"away-{time.monotonic_ns()}{end}"))
        restored = run(PROGRAMS / "leasectl", "restore", copy, database)
        assert restored.returncode == 0, restored.stderr

    def take_over(self) -> None:
        """The first is dead; the standby begins from the newest copy."""
        self.look_at("standby")
        self.restore("standby", self.copy)
        self.start_broker()

    def kinds(self) -> list[str]:
        return [row["kind"] for row in self.ask("history")]

    def kill_all(self) -> None:
        for daemon, *_ in self.places.values():
            daemon.kill9()
        super().kill_all()


class NoSlotTwice:
    """Looks, all the while, at what workload managers enforce and run; needs no broker's word, of which
    two may be wrong: what the clusters may use of a host's exported slots is never more than those.
    `looks`: of the host that was looked at least."""

    def __init__(self, site: ColdSite) -> None:
        self.site = site
        self.looks = 0
        self.wrong: list[str] = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "NoSlotTwice":
        self._thread.start()
        return self

    def __exit__(self, kind, *_) -> None:
        if kind is None:
            wait_until(lambda: self.looks >= 3 or self.wrong, "three looks")
        self._end.set()
        self._thread.join()
        print(f"{self.looks} looks at each host", flush=True)
        assert kind is not None or not self.wrong, "\n".join(self.wrong)

    def _watch(self) -> None:
        exported = {f"{host}@{policy['provider']}": policy["slots_per_host"]
                    for policy in self.site.policies for host in policy["hosts"]}
        looks = dict.fromkeys(exported, 0)
        while not self._end.wait(0.02) and not self.wrong:
            before, after = self._caps(), self._caps()
            # What stands in both was so at one instant between them, host by host: of many clusters
            # some file changes in any look.
            still = {host: slots for host, slots in exported.items()
                     if of_host(before, host) == of_host(after, host)}
            for host in still:
                looks[host] += 1
            self.looks = min(looks.values(), default=0)
            self.wrong = offences(after, still)

    def _caps(self) -> dict:
        return {name: ledgers.caps(self.site.path, name) for name in self.site.clusters}


def of_host(caps: dict, host: str) -> dict:
    """What each cluster's workload manager has of it: {cluster: its entry, or None}."""
    name, provider = host.split("@")
    return {cluster: of.get(name if cluster == provider else host) for cluster, of in caps.items()}


def offences(caps: dict, exported: dict[str, int]) -> list[str]:
    found = []
    for host, slots in exported.items():
        provider = host.split("@")[1]
        taken = {cluster: max(ledgers.on_exported(entry, cluster == provider, slots))
                 for cluster, entry in of_host(caps, host).items()}
        if sum(taken.values()) > slots:
            found.append(f"{host}: {slots} exported, enforced or used: "
                         f"{ {cluster: slots for cluster, slots in taken.items() if slots} }")
    return found


