#!/usr/bin/python3
"""The packages as an administrator meets them, in a fresh Debian root with its real systemd: installed,
started, upgraded while leases flip, removed, purged; each step told with what was seen.

    tests/packages/try_packages.py FOLDER

As root; FOLDER holds older/*.deb and newer/*.deb: scripts/packages --try makes them and calls this. The
root is made by debootstrap from the mirror that apt is set up with, once, in the build folder; ports
7440 to 7442 of loopback must be free."""
import json
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
import debian_root
from booted import Booted, Failed

SITE = """
[[cluster]]
name = "east"
[[cluster]]
name = "west"
[[export_policy]]
name = "pool"
provider = "east"
hosts = ["big1"]
slots_per_host = 4
distribution = [{ cluster = "west", shares = 1 }]
type = "shared"
rule = "idle-comparison"
"""
AGENT = """[agent]
cluster = "{cluster}"
broker = "tcp://127.0.0.1:7440"
state = "/var/lib/leasehold-agent/{cluster}.db"
report_interval = "200ms"
[workload]
manager = "simulated"
[workload.simulated]
state = "/var/lib/leasehold-agent/{cluster}-jobs.db"
hosts = [{{ name = "{host}", slots = {slots} }}]
generator = "{generator}"
busy = {busy}
period = "6s"
run_time = "1s"
"""


def said(step: str, began: float) -> None:
    print(f"{step}: {time.monotonic() - began:.1f} s", flush=True)


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(f"not so: {what}")


def flips(machine: Booted) -> int:
    rows = json.loads(machine.run("leasectl leases --json", check=False) or "[]")
    return rows[0]["flips"] if rows else 0


def install(machine: Booted, folder: str) -> None:
    machine.run(f"apt-get -q install -y --no-install-recommends {folder}/*.deb")


def installed(machine: Booted) -> None:
    began = time.monotonic()
    machine.run("apt-get -q update")
    install(machine, "/packages/older")
    machine.wait_until(lambda: machine.works("systemctl is-active lease-broker"), "the broker runs")
    said("installed, and the broker runs", began)
    require(machine.works("leasectl status"), "leasectl reaches the broker as installed")
    state = machine.run("systemctl show lease-agent -p ActiveState -p ConditionResult")
    require("inactive" in state, f"the agent waits for its configuration: {state}")
    for page in ("lease-broker.8", "lease-broker.toml.5", "lease-agent.8", "lease-agent.toml.5",
                 "leasectl.1"):
        require(machine.works(f"find /usr/share/man -name '{page}.gz' | grep -q ."), f"there is {page}")
    key = "/etc/leasehold/broker.toml"
    require(machine.works(f"cat {key}", user="leasehold-broker"), "the broker reads its file")
    require(not machine.works(f"cat {key}", user="leasehold-agent"), "the agent's user does not")
    require(not machine.works("ls /var/lib/leasehold", user="leasehold-agent"), "nor its state")


def leases_flip(machine: Booted) -> None:
    began = time.monotonic()
    text = machine.run("cat /etc/leasehold/broker.toml")
    text = text.replace("[broker]\n", '[broker]\nreclaim_delay = "1s"\n') + SITE
    machine.write("/etc/leasehold/broker.toml", text)
    machine.run("systemctl reload lease-broker")
    machine.write("/etc/leasehold/agent.toml", AGENT.format(
        cluster="east", host="big1", slots=8, generator="wave", busy=0.5))
    machine.write("/etc/leasehold/west.toml", AGENT.format(
        cluster="west", host="small1", slots=2, generator="constant", busy=2.0))
    machine.run("systemctl start lease-agent")
    machine.run("systemd-run -q --unit=west -p User=leasehold-agent "
                "lease-agent --config /etc/leasehold/west.toml")
    machine.wait_until(lambda: flips(machine) >= 2, "slots flip")
    said("configured, and slots flip", began)


COPY = "/var/lib/leasehold-backup/leasehold.db"


def copies_come(machine: Booted) -> None:
    """At an interval once somebody enables the timer; and one is restored by the broker's user."""
    began = time.monotonic()
    require(not machine.works("systemctl is-enabled leasehold-backup.timer"), "the timer is off")
    machine.run("systemctl enable --now leasehold-backup.timer")
    machine.wait_until(lambda: machine.works(f"test -e {COPY}"), "a copy is made at once")
    machine.run("mkdir /etc/systemd/system/leasehold-backup.timer.d")
    machine.write("/etc/systemd/system/leasehold-backup.timer.d/interval.conf",
                  "[Timer]\nOnUnitInactiveSec=1s\n")
    machine.write("/etc/leasehold/backup.env", "KEEP=3")
    machine.run("systemctl daemon-reload && systemctl restart leasehold-backup.timer")
    machine.wait_until(lambda: machine.works(f"test -e {COPY}.2"), "more are made")
    machine.run("systemctl stop leasehold-backup.timer")
    machine.run("systemctl start leasehold-backup.service")
    require(not machine.works(f"test -e {COPY}.3"), "no more than three stay")
    require("; verified" in machine.run("journalctl --no-pager -u leasehold-backup.service"),
            "the journal has a line of each")
    restored = machine.run(f"leasectl restore {COPY} /var/lib/leasehold/tried.db",
                           user="leasehold-broker")
    require("; verified" in restored, "the broker's user restores it")
    require(not machine.works(f"ls {COPY}", user="leasehold-agent"), "the agent's does not see it")
    machine.run("rm /var/lib/leasehold/tried.db*; rm /etc/leasehold/backup.env; "
                "systemctl start leasehold-backup.timer")
    said("copies at an interval, and one restored", began)


def upgraded(machine: Booted) -> None:
    before, began = flips(machine), time.monotonic()
    version = machine.run("lease-broker --version")
    install(machine, "/packages/newer")
    machine.wait_until(lambda: flips(machine) > before + 1, "slots flip after the upgrade")
    said("upgraded while slots flipped, and they flip again", began)
    require(machine.run("dpkg-query -W -f '${Version}' leasehold-broker").endswith("+newer"),
            "the newer version is there")
    require("reclaim_delay" in machine.run("cat /etc/leasehold/broker.toml"), "the file is the site's")
    for unit in ("lease-agent", "leasehold-backup.timer"):
        require(machine.works(f"systemctl is-active {unit}"), f"{unit} runs")
    print(f"  {version.strip()}, then {machine.run('lease-broker --version').strip()}")


def proved(machine: Booted) -> None:
    machine.run("systemctl stop lease-agent west lease-broker")
    print("  " + machine.run("leasectl replay /var/lib/leasehold/leasehold.db --verify").strip())


def secure(machine: Booted) -> None:
    for unit in ("lease-broker", "lease-agent", "leasehold-backup"):
        told = machine.run(f"systemd-analyze security --no-pager {unit}.service", check=False)
        score = re.search(r"Overall exposure level for \S+: (.*)", told)
        require(score is not None, f"systemd-analyze knows {unit}: {told[-200:]}")
        print(f"  {unit}: exposure {score.group(1)}")


def gone(machine: Booted) -> None:
    began = time.monotonic()
    machine.run("apt-get -q remove -y leasehold-broker leasehold-agent leasehold-ctl")
    require(not machine.works("command -v lease-broker"), "the programs are gone")
    require(not machine.works("systemctl is-active leasehold-backup.timer"), "no copies come any more")
    require(machine.works("test -e /etc/leasehold/broker.toml"), "what the site wrote stays")
    told = machine.run("apt-get -q purge -y leasehold-broker leasehold-agent leasehold-ctl 2>&1")
    for state in ("/var/lib/leasehold", "/var/lib/leasehold-backup"):
        require(f"{state} stays; remove it yourself" in told, f"purging says that {state} stays")
    require(not machine.works("test -e /etc/leasehold/broker.toml"), "its configuration is gone")
    require(machine.works("test -e /var/lib/leasehold/leasehold.db"), "the history is not")
    require(machine.works(f"test -e {COPY}"), "nor its copies")
    for unit in ("lease-broker", "leasehold-backup.timer"):
        require(not machine.works(f"systemctl cat {unit}"), f"the unit {unit} is gone")
    require(not machine.works("find /etc/systemd -name 'leasehold-backup.timer' | grep -q ."),
            "and nothing that started it")
    said("removed and purged", began)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        root = debian_root.root_with(
                "systemd", "bookworm", ["systemd", "systemd-sysv", "dbus", "ca-certificates", "man-db"])
        with Booted(root, Path(sys.argv[1]).resolve()) as machine:
            for step in (installed, leases_flip, copies_come, upgraded, secure, proved, gone):
                step(machine)
    except (Failed, debian_root.NoSuchRoot, OSError, subprocess.CalledProcessError) as error:
        print(f"try_packages: {error}", file=sys.stderr)
        return 1
    print("the packages do what they say")
    return 0


if __name__ == "__main__":
    sys.exit(main())
