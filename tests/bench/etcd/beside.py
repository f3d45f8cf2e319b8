#!/usr/bin/python3
"""Durable flips (bench_load) beside lease grants that etcd keeps durable, in turns on the same disk:

    tests/bench/etcd/beside.py [--build build-bench] [--runs 5] [--seconds 3] [--clients 64]

Both sides are one server and the clients' process on this machine, 64 clients, one change of each
under way; a flip takes two messages of agents and two orders, a grant one call by gRPC. Needs
Debian's etcd-server, and bench_etcd, which is built where gRPC is: scripts/install-packages etcd."""
import argparse
import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Etcd:
    """One etcd on loopback, its data in a folder of its own."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="leasehold-etcd-"))
        self.endpoint = f"127.0.0.1:{free_port()}"
        client, peer = f"http://{self.endpoint}", f"http://127.0.0.1:{free_port()}"
        with open(self.folder / "said", "w") as said:
            self.process = subprocess.Popen(
                ["etcd", "--data-dir", self.folder / "data", "--listen-client-urls", client,
                 "--advertise-client-urls", client, "--listen-peer-urls", peer,
                 "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
                 "--quota-backend-bytes", str(8 << 30)], stdout=said, stderr=said)

    def __enter__(self) -> "Etcd":
        host, port = self.endpoint.split(":")
        for _ in range(300):
            if self.process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex((host, int(port))) == 0:
                    return self
            time.sleep(0.1)
        raise SystemExit(f"etcd does not answer:\n{(self.folder / 'said').read_text()}")

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder)


def lines(words: list) -> list[dict]:
    done = subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build-bench"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--clients", type=int, default=64)
    options = parser.parse_args()
    grants_program = options.build / "bin" / "bench_etcd"
    if not shutil.which("etcd") or not grants_program.exists():
        print("beside.py: etcd or bench_etcd is missing: scripts/install-packages etcd, then "
              "scripts/bench or scripts/build", file=sys.stderr)
        return 77
    ratios: dict[str, list[float]] = {}
    for run in range(options.runs):
        with Etcd() as etcd:
            grants = lines([grants_program, etcd.endpoint, options.clients, options.seconds])[0]
        print(json.dumps(grants), flush=True)
        for flips in lines([options.build / "bin" / "bench_load", "--runs", 1, "--rounds", 0,
                            "--seconds", options.seconds]):
            ratio = flips["ours_per_s"] / grants["per_s"]
            ratios.setdefault(flips["bench"], []).append(ratio)
            print(json.dumps({"bench": flips["bench"], "run": run, "ratio_to_etcd": round(ratio, 2),
                              "flips_per_s": flips["ours_per_s"], "grants_per_s": grants["per_s"]}),
                  flush=True)
    for bench, found in ratios.items():
        print(f"{bench}: {statistics.median(found):.1f} times etcd's lease grants "
              f"({min(found):.1f} to {max(found):.1f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
