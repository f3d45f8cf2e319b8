"""An agent in a few lines of Python, for messages that the real one never sends.

The format is schema/wire/README.md: one msgpack map a ZeroMQ message, "v" the version, "t" the type.
"""
import random
import time

import msgpack
import zmq

from processes import LAST_BOUND_S

VERSION = 1


def control(site, command: str) -> dict:
    """An operator's question or order without leasectl; the whole answer, as it comes over the wire."""
    with zmq.Context.instance().socket(zmq.DEALER) as line:
        line.linger = 0
        line.rcvtimeo = int(1000 * LAST_BOUND_S)
        line.connect(site.control)
        line.send_json({"leasehold": 1, "command": command})
        return line.recv_json()


class FakeAgent:
    def __init__(self, endpoint: str, keys=None) -> None:
        """`keys`, for CURVE: its own public key, its secret one, the broker's public one."""
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.sndtimeo = 5_000  # who was turned away has nobody to send to
        if keys:
            own, secret, broker = (key.encode() for key in keys)
            self.socket.curve_publickey, self.socket.curve_secretkey = own, secret
            self.socket.curve_serverkey = broker
        self.socket.connect(endpoint)
        self.session = 0
        self.reports = 0
        self.configuration: dict = {}

    def __enter__(self) -> "FakeAgent":
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()

    def send_bytes(self, data: bytes) -> None:
        self.socket.send(data)

    def send(self, kind: str, version: int = VERSION, **fields) -> None:
        self.send_bytes(msgpack.packb({"v": version, "t": kind, **fields}))

    def hear_nothing(self, *kinds: str, while_s: float = 0.5) -> None:
        """Of these kinds, or nothing at all, for a while."""
        heard = self._next(kinds, while_s)
        assert heard is None, f"heard {heard}"

    def receive(self, *kinds: str) -> dict:
        """The next message of one of these kinds (or of any); others are passed over."""
        heard = self._next(kinds, LAST_BOUND_S)
        assert heard is not None, f"no {' or '.join(kinds) or 'message'} came"
        return heard

    def _next(self, kinds: tuple, within_s: float) -> dict | None:
        deadline = time.monotonic() + within_s
        while (left := deadline - time.monotonic()) > 0:
            if self.socket.poll(left * 1000):
                message = msgpack.unpackb(self.socket.recv())
                if message["t"] == "configuration":
                    self.configuration = message
                if not kinds or message["t"] in kinds:
                    return message
        return None

    def hello(self, cluster: str, clock=None, **changes) -> dict:
        """Opens a session; the broker's answer: a configuration, a refusal or another welcome. `clock`
        makes what is said of clocks of the welcome, as late as the hello is to be."""
        self.send("heartbeat", session=1, number=1, report=0)
        welcome = self.receive("welcome")
        self.session = random.getrandbits(63)
        fields = {"cluster": cluster, "incarnation": welcome["incarnation"],
                  "state_id": random.getrandbits(63), "boot": 1, "session": self.session,
                  "has_state": False, "program_version": "0", "workload": "simulated",
                  "self_expiring": False,
                  "fences": {"memory": False, "swap": False, "resources": False},
                  "settle_ms": 0, "groups": []}
        if clock:
            fields["clock"] = clock(welcome)
            fields["wall_ms"] = fields["clock"]["wall_ms"]
        self.send("hello", **{**fields, **changes})
        return self.receive("configuration", "refusal", "welcome")

    def inventory(self, hosts: dict[str, int]) -> None:
        self.send("inventory", session=self.session, hosts=[
            {"name": name, "type": "LINUX64", "model": "", "slots": slots, "mem_mb": 0,
             "swap_mb": 0, "booleans": [], "numbers_milli": [], "up": True}
            for name, slots in hosts.items()])

    def report(self, groups: list, **changes) -> None:
        """`groups`: rows (generation, seq, ever_used, breach, [(host, limit, used, up)…])."""
        self.reports += 1
        groups = [(*group[:4], [(*host, -1) for host in group[4]]) for group in groups]
        fields = {"session": self.session, "number": self.reports, "full": True,
                  "configuration": self.configuration.get("number", 0), "pending": 0, "running": 0,
                  "degraded": False, "groups": groups, "hosts": []}
        self.send("report", **{**fields, **changes})
