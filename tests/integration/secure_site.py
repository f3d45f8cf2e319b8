"""A site that other machines could reach: CURVE everywhere, files of keys as `leasectl keygen` makes them.

Its listeners are on an address of this machine that is not loopback, where there is one.
"""
import shutil
import socket

import zmq
from configs import POOL, Cluster, agent_toml, broker_toml, swf, table
from leasehold_site import Site, patient
from processes import PROGRAMS, run
from wire import FakeAgent

OPERATORS = {"ana": "admin", "desk": "read", "genomics": "admin:/research/genomics"}


def outer_address() -> str:
    """An IPv4 address of this machine that is not loopback; else a loopback one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.200", 9))  # nothing is sent
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


class SecureSite(Site):
    def __init__(self, clusters: dict[str, Cluster], policies=(POOL,), **settings) -> None:
        self._keys: dict[str, dict] = {}
        self.owners: dict[str, list[str]] = {}  # cluster -> names of its keys, if not its own name
        self.operators = dict(OPERATORS)
        self.operator = "ana"  # who leasectl is
        self.broker_keys = ["broker"]  # that agents take for the broker's
        super().__init__(clusters, policies, **settings)
        ports = self.claim.ports
        self.listen, self.control = (f"tcp://{outer_address()}:{port}" for port in ports[:2])
        self.write_broker_config()
        for name in clusters:
            self.write_agent_config(name)

    # Keys

    def key(self, name: str) -> dict:
        """{"file", "public", "secret"} of this name, made when first asked for."""
        if name not in self._keys:
            public, secret = (half.decode() for half in zmq.curve_keypair())
            path = self.path / f"{name}.key"
            path.touch(0o600)
            path.write_text(f"# of {name}\n{secret}\n")
            self._keys[name] = {"file": path, "public": public, "secret": secret}
        return self._keys[name]

    def fake_agent(self, name: str, endpoint: str = "") -> FakeAgent:
        key = self.key(name)
        return FakeAgent(endpoint or self.listen,
                         (key["public"], key["secret"], self.key("broker")["public"]))

    # Files

    def write_broker_config(self) -> None:
        owned = {name: self.owners.get(name, [name]) for name in self.clusters}
        more = table("[security]", {"secret_key_file": self.key("broker")["file"].name})
        for name, role in self.operators.items():
            more += table("[[operator]]", {"name": name, "public_key": self.key(name)["public"],
                                           "role": role})
        for name, keys in owned.items():
            public = [self.key(key)["public"] for key in keys]
            more += table("[[cluster]]", {"name": name, **({"public_key": public} if keys else {})})
        self.broker.config.write_text(broker_toml(self.listen, self.control, self.settings, (),
                                                  self.policies, more + self.more))

    def write_agent_config(self, name: str, key: str = "") -> None:
        cluster = self.clusters[name]
        trace = self.path / f"{name}.swf"
        trace.write_text(swf(cluster.jobs))
        security = {"secret_key_file": self.key(key or name)["file"].name,
                    "broker_public_key": [self.key(each)["public"] for each in self.broker_keys]}
        self.agents[name].config.write_text(agent_toml(name, self.listen, cluster, trace)
                                            + table("[security]", security))

    def replace_broker_key(self) -> None:
        """Another secret key under the same file name; both public halves stay known here."""
        fresh = self.key("broker2")
        shutil.copy2(fresh["file"], self.key("broker")["file"])

    # Questions

    def keys(self) -> tuple | None:
        key = self.key(self.operator)
        return key["public"], key["secret"], self.key("broker")["public"]

    def ctl(self, *words: str, operator: str = "", broker: str = "broker"):
        key = self.key(operator or self.operator)["file"]
        return run(PROGRAMS / "leasectl", *patient(words, self.broker), "--broker", self.control, "--key", key,
                   "--broker-key", self.key(broker)["public"])
