"""A peer that means harm, as a process of its own: it goes on until it is killed.

    hostile.py KIND ENDPOINT [PUBLIC SECRET BROKER_PUBLIC]

Prints "ready" once it has begun.
"""
import os
import socket
import sys
import time

import msgpack
import zmq

HELLO = {"v": 1, "t": "hello", "cluster": "east", "incarnation": 1, "state_id": 1, "boot": 1,
         "session": 1, "has_state": False, "program_version": "0", "workload": "simulated",
         "self_expiring": False, "fences": {"memory": False, "swap": False, "resources": False},
         "settle_ms": 0, "groups": []}
QUESTION = b'{"leasehold": 1, "command": "%s"}'


def dealer(endpoint: str, keys: list[str]) -> zmq.Socket:
    made = zmq.Context.instance().socket(zmq.DEALER)
    made.linger = 0
    if keys:
        own, secret, broker = (key.encode() for key in keys)
        made.curve_publickey, made.curve_secretkey, made.curve_serverkey = own, secret, broker
    made.connect(endpoint)
    return made


def flood(endpoint, keys) -> None:
    """Small messages that are well formed, as fast as they go."""
    line = dealer(endpoint, keys)
    beat = msgpack.packb({"v": 1, "t": "heartbeat", "session": 1, "number": 1, "report": 0})
    while True:
        line.send(beat)


def garbage(endpoint, keys) -> None:
    """Random bytes, half messages, deep nesting, lies, hellos for another cluster."""
    line = dealer(endpoint, keys)
    hello = msgpack.packb(HELLO)
    while True:
        for data in (os.urandom(300), hello, hello[:-5], b"\x91" * 5000, b"", b"[" * 5000,
                     b"\xdf\xff\xff\xff\xff", msgpack.packb({**HELLO, "cluster": "x" * 3000})):
            line.send(data)


def huge(endpoint, keys) -> None:
    """Messages just below and above the largest one that is allowed."""
    line = dealer(endpoint, keys)
    while True:
        for size in (15 << 20, (15 << 20) + 7, 17 << 20):
            line.send(b"\x00" * size)


def deaf(endpoint, keys) -> None:
    """Asks without end and reads no answer."""
    line = dealer(endpoint, keys)
    line.rcvhwm = 1
    knock = msgpack.packb({"v": 1, "t": "heartbeat", "session": 1, "number": 1, "report": 0})
    while True:
        for command in b"leases", b"history", b"policies", b"lease":
            line.send(QUESTION % command if b"control" in sys.argv[1].encode() else knock)


def crowd(endpoint, keys) -> None:
    """Connection after connection with a key that is good, each saying something."""
    beat = msgpack.packb({"v": 1, "t": "heartbeat", "session": 1, "number": 1, "report": 0})
    lines = []
    while True:
        lines.append(dealer(endpoint, keys))
        lines[-1].send(beat)
        if len(lines) > 300:
            lines.pop(0).close()
        time.sleep(0.002)


def slow(endpoint, _keys) -> None:
    """Connections that never finish their handshake: some are silent, some drip a byte now and then."""
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    lines = []
    while True:
        try:
            line = socket.create_connection((host, int(port)), timeout=1)
            if len(lines) % 2:
                line.send(b"\xff")
            lines.append(line)
        except OSError:
            time.sleep(0.01)
        if len(lines) > 3000:
            lines.pop(0).close()
        time.sleep(0.001)


if __name__ == "__main__":
    print("ready", flush=True)
    {"flood": flood, "garbage": garbage, "huge": huge, "deaf": deaf, "deaf-control": deaf,
     "crowd": crowd, "slow": slow}[sys.argv[1]](sys.argv[2], sys.argv[3:])
