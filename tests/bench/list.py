#!/usr/bin/env python3
"""Very many leases listed by a running broker: at its endpoint, and by leasectl as a process.

tests/bench/list.py [--providers 400] [--consumers 250] [--runs 5]
Starts a broker on loopback that leases from each provider to each consumer, asks it for its leases
whole and filtered (until the first part has come, and all), then runs leasectl in its forms and
asks by HTTP. Prints medians, judges none. Needs build/bin (scripts/build), or LEASEHOLD_BIN.
"""
import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any, Callable

import zmq

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))
import ports

BIN = Path(os.environ.get("LEASEHOLD_BIN", ROOT / "build/bin"))
QUESTIONS: list[dict[str, str]] = [{}, {"cluster": "c0"}, {"cluster": "*0"}]
FORMS = [[], ["--json"], ["-o", "csv"], ["-o", "wide"], ["-o", "id,phase"], ["-o", "name"],
         ["--sort", "-slots,id"], ["--summary"], ["--cluster", "c0"], ["--cluster", "c0", "--json"]]
MORE_COMES = b"\n"


def configuration(asked: argparse.Namespace, claimed: list[int], folder: Path) -> str:
    consumers = [f"c{c}" for c in range(asked.consumers)]
    shares = ", ".join(f'{{ cluster = "{name}", shares = 1 }}' for name in consumers)
    lines = ["[broker]", f'listen = "tcp://127.0.0.1:{claimed[0]}"',
             f'control = "tcp://127.0.0.1:{claimed[1]}"', f'http = "127.0.0.1:{claimed[2]}"',
             f'database = "{folder}/leasehold.db"']
    for p in range(asked.providers):
        lines += ["[[cluster]]", f'name = "p{p}"', "[[export_policy]]", f'name = "pool{p}"',
                  f'provider = "p{p}"', 'hosts = ["h0"]', f"slots_per_host = {8 * asked.consumers}",
                  'type = "shared"', f"distribution = [{shares}]"]
    for name in consumers:
        lines += ["[[cluster]]", f'name = "{name}"']
    return "\n".join(lines) + "\n"


def asked_once(endpoint: str, question: dict[str, str]) -> tuple[float, float, bytes]:
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.connect(endpoint)
    socket.send_json({"leasehold": 1, "command": "leases", "parts": True, **question})
    begin = time.monotonic()
    answer = [socket.recv()]
    first = time.monotonic() - begin
    while answer[-1].endswith(MORE_COMES):
        answer.append(socket.recv())
    took = time.monotonic() - begin
    socket.close(0)
    return first, took, b"".join(answer)


def medians(runs: int, once: Callable[[], tuple[Any, ...]]) -> list[float]:
    times = [once() for _ in range(runs)]
    return [statistics.median(column) * 1e3 for column in zip(*times)]


def wait_for(endpoint: str, leases: int) -> None:
    for _ in range(600):
        if len(json.loads(asked_once(endpoint, {})[2])["result"]) == leases:
            return
        time.sleep(0.1)
    raise SystemExit("list: the broker has not made its leases")


def leasectl(endpoint: str, words: list[str]) -> tuple[float]:
    begin = time.monotonic()
    subprocess.run([BIN / "leasectl", "--broker", endpoint, "leases", *words],
                   stdout=subprocess.DEVNULL, check=True)
    return (time.monotonic() - begin,)


def fetched(url: str) -> tuple[float]:
    begin = time.monotonic()
    with urllib.request.urlopen(url) as reply:
        reply.read()
    return (time.monotonic() - begin,)


def measure(endpoint: str, url: str, runs: int) -> None:
    for question in QUESTIONS:
        size = len(asked_once(endpoint, question)[2])
        first, took = medians(runs, lambda: asked_once(endpoint, question)[:2])
        print(f"endpoint {question}: {size} bytes, first {first:.1f} ms, all {took:.0f} ms",
              flush=True)
    for words in FORMS:
        took, = medians(runs, lambda: leasectl(endpoint, words))
        print(f"leasectl leases {' '.join(words)}: {took:.0f} ms", flush=True)
    fresh = itertools.count(1000)  # what was asked a moment ago is answered by what was made then
    for query in ("?limit={}", "?cluster=c0&limit={}"):
        took, = medians(runs, lambda: fetched(url + query.format(next(fresh))))
        print(f"GET /api/v1/leases{query}: {took:.0f} ms", flush=True)
    took, = medians(runs, lambda: fetched(url))
    print(f"GET /api/v1/leases: {took:.0f} ms", flush=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--providers", type=int, default=400)
    words.add_argument("--consumers", type=int, default=250)
    words.add_argument("--runs", type=int, default=5)
    asked = words.parse_args()
    claim = ports.Claim()
    with tempfile.TemporaryDirectory(prefix="leasehold-list-") as name:
        folder = Path(name)
        config = folder / "broker.toml"
        config.write_text(configuration(asked, claim.ports, folder))
        with open(folder / "broker.log", "w") as log:
            broker = subprocess.Popen([BIN / "lease-broker", "--config", config], stderr=log,
                                      stdout=log)
        try:
            endpoint = f"tcp://127.0.0.1:{claim.ports[1]}"
            wait_for(endpoint, asked.providers * asked.consumers)
            measure(endpoint, f"http://127.0.0.1:{claim.ports[2]}/api/v1/leases", asked.runs)
        finally:
            broker.terminate()
            broker.wait()
    claim.release()


if __name__ == "__main__":
    main()
