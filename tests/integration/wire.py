"""An agent in a few lines of Python, for messages that the real one never sends.

The format is schema/wire/README.md: one msgpack map a ZeroMQ message, "v" the version, "t" the type.
"""
import contextlib
import random

import msgpack
import zmq
from zmq.utils.monitor import recv_monitor_message

from processes import LAST_BOUND_S

VERSION = 1
LAST_BOUND_MS = int(1000 * LAST_BOUND_S)
TURNED_AWAY = (zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
               | zmq.EVENT_HANDSHAKE_FAILED_AUTH)
HEARTBEAT = msgpack.packb({"v": VERSION, "t": "heartbeat", "session": 1, "number": 1, "report": 0})  # of no session


def control(site, command: str) -> dict:
    """An operator's question or order without leasectl; the whole answer, as it comes over the wire."""
    with zmq.Context.instance().socket(zmq.DEALER) as line:
        line.linger = 0
        line.rcvtimeo = LAST_BOUND_MS
        line.connect(site.control)
        line.send_json({"leasehold": 1, "command": command})
        return line.recv_json()


class FakeAgent:
    def __init__(self, endpoint: str, keys=None) -> None:
        """`keys`, for CURVE: its own public key, its secret one, the broker's public one."""
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.sndtimeo = LAST_BOUND_MS
        self.events = self.socket.get_monitor_socket(TURNED_AWAY | zmq.EVENT_DISCONNECTED)
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
        self.socket.disable_monitor()
        self.events.close()
        self.socket.close()

    def send_bytes(self, data: bytes) -> None:
        self.socket.send(data)

    def send(self, kind: str, version: int = VERSION, **fields) -> None:
        self.send_bytes(msgpack.packb({"v": version, "t": kind, **fields}))

    def is_turned_away(self, data: bytes) -> None:
        """Its handshake fails, and what it says is not answered before. It may have nobody to send to."""
        with contextlib.suppress(zmq.Again):
            self.socket.send(data, zmq.NOBLOCK)
        self.hear_nothing_before(TURNED_AWAY)

    def hear_nothing_before(self, events: int) -> None:
        """One of these, of its connection."""
        poller = zmq.Poller()
        for each in (self.socket, self.events):
            poller.register(each, zmq.POLLIN)
        while ready := dict(poller.poll(LAST_BOUND_MS)):
            assert self.socket not in ready, f"heard {self.socket.recv()}"
            if recv_monitor_message(self.events)["event"] & events:
                return
        raise AssertionError(f"no event of {events} came")

    def receive(self, *kinds: str) -> dict:
        """The next message of one of these kinds (or of any); others are passed over."""
        while self.socket.poll(LAST_BOUND_MS):
            message = self._received()
            if not kinds or message["t"] in kinds:
                return message
        raise AssertionError(f"no {' or '.join(kinds) or 'message'} came")

    def heard(self) -> list[dict]:
        """All that has come."""
        found = []
        while self.socket.poll(0):
            found.append(self._received())
        return found

    def _received(self) -> dict:
        message = msgpack.unpackb(self.socket.recv())
        if message["t"] == "configuration":
            self.configuration = message
        return message

    def hello(self, cluster: str, clock=None, **changes) -> dict:
        """Opens a session; the broker's answer: a configuration, a refusal or another welcome. `clock`
        makes what is said of clocks of the welcome, as late as the hello is to be."""
        self.send_bytes(HEARTBEAT)
        self.say_hello(cluster, self.receive("welcome"), clock, **changes)
        return self.receive("configuration", "refusal", "welcome")

    def say_hello(self, cluster: str, welcome: dict, clock=None, **changes) -> None:
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
