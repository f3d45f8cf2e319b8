"""A broker of several on one database, as far as an agent can tell: it leads, stands by or is silent, as a
file says that the test writes. A process of its own, so that it can be stopped and killed.

    python3 played_broker.py ENDPOINT ROLE_FILE LOG_FILE
"""
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgpack
import zmq

from processes import wait_until


class PlayedBroker:
    """`role`: {"epoch": …, "incarnation": …} leads, {"incarnation": …} has its database to itself, {}
    stands by, None is silent."""

    def __init__(self, folder: Path, name: str, endpoint: str, role, leader_ttl_ms: int) -> None:
        self.endpoint = endpoint
        self._role, self._log = folder / f"{name}.role", folder / f"{name}.said"
        self._leader_ttl_ms = leader_ttl_ms
        self._process: subprocess.Popen | None = None
        self.play(role)

    def play(self, role) -> None:
        if role and "epoch" in role:
            role = {**role, "leader_ttl_ms": self._leader_ttl_ms}
        fresh = self._role.with_suffix(".new")
        fresh.write_text(json.dumps(role))
        fresh.replace(self._role)

    def start(self) -> None:
        command = [sys.executable, "-B", __file__, self.endpoint, str(self._role), str(self._log)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """By SIGSTOP."""
        self._process.send_signal(signal.SIGSTOP)
        stat = Path(f"/proc/{self._process.pid}/stat")
        wait_until(lambda: stat.read_text().rpartition(") ")[2][0] == "T", "it stops", every=0.001)

    def said(self, *kinds: str) -> list[dict]:
        """What it has answered, oldest first: {"t", "at", "heard"}."""
        if not self._log.exists():
            return []
        whole = self._log.read_text().rpartition("\n")[0]
        rows = [json.loads(line) for line in whole.splitlines()]
        return [row for row in rows if not kinds or row["t"] in kinds]

    def wait_until_it_says(self, kind: str, more_than: int = 0) -> dict:
        """Its newest answer of the kind."""
        return wait_until(lambda: self.said(kind)[more_than:], f"it says {kind}",
                          every=0.02)[-1]


def answer(role: dict, heard: dict, sessions: set) -> dict | None:
    if not role:
        return {"t": "refusal", "reason": "elsewhere", "message": "another leads", "version": 1}
    leader = {key: role[key] for key in ("epoch", "incarnation") if "epoch" in role}
    session = heard.get("session")
    if heard["t"] == "hello" and heard["incarnation"] == role["incarnation"]:
        sessions.add(session)
        ttl = {"leader_ttl_ms": role["leader_ttl_ms"]} if leader else {}
        return {"t": "configuration", "session": session, "number": 1, "observe": False,
                "agent_timeout_ms": 60_000, "groups": [], "resources": [], **leader, **ttl}
    if session not in sessions:
        return {"t": "welcome", "broker": "played", "program_version": "0", **role}
    if heard["t"] != "heartbeat":
        return None
    return {"t": "heartbeat-answer", "session": session, "number": heard["number"], "resync": False,
            **leader}


def serve(endpoint: str, role_file: Path, log_file: Path) -> None:
    router = zmq.Context.instance().socket(zmq.ROUTER)
    router.bind(endpoint)
    sessions: set = set()
    before = None
    with log_file.open("a", encoding="utf-8") as log:
        while True:
            route, data = router.recv_multipart()
            heard = msgpack.unpackb(data)
            role = json.loads(role_file.read_text())
            if role != before:  # another leadership, or none: its sessions are over
                sessions.clear()
                before = role
            reply = None if role is None else answer(role, heard, sessions)
            if reply is None:
                continue
            router.send_multipart([route, msgpack.packb({"v": 1, **reply})])
            log.write(json.dumps({"t": reply["t"], "at": time.monotonic(), "heard": heard}) + "\n")
            log.flush()


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
