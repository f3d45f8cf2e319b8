"""A site with a cold standby: two brokers' configurations, of the same key, on two addresses, of which
one runs; agents that have both in their list. Each broker has a folder of its own, as on two machines.

Keys and listeners as machines have them (secure_site.py).
"""
import time

from configs import POOL, Cluster
from processes import PROGRAMS, Daemon, run
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
