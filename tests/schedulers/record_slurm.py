"""Records what a real Slurm prints of one scene, for tests/data/slurm: the same jobs in every form of JSON
that this version has, and the text that the adapter reads. Names of this machine are taken out; JSON is
written with a job a line.

    python3 tests/schedulers/slurm_root.py 24.11 python3 tests/schedulers/record_slurm.py FOLDER
"""
import json
import re
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from processes import wait_until  # noqa: E402
from slurm_clusters import SlurmCluster, installed  # noqa: E402

NODES = {"p1": 10, "p2": 4, "p3": 4}
STUBBORN = "trap '' TERM; while true; do sleep 0.1; done"
TEXTS = {
    "show_node": ["scontrol", "-a", "-o", "show", "node"],
    "show_reservation": ["scontrol", "-o", "show", "reservation"],
    "show_config": ["scontrol", "show", "config"],
    "show_partition": ["scontrol", "-o", "show", "partition"],
    "show_job_two_nodes": ["scontrol", "-d", "-o", "show", "job", "2"],
    "ping": ["scontrol", "ping"],
    "squeue": ["squeue", "-h", "-a", "-r", "-t", "all", "-o",
               "%A|%T|%C|%P|%e|%N|%n|%h|%D|%l|%V|%S|%c|%x|%r"],
}


def make_scene(slurm: SlurmCluster) -> None:
    """Jobs 1 to 9: each another thing that a reader must see."""
    slurm.submit(3, "sleep 600", "--nodelist=p1", "--comment=leasehold:rank=20,preemptive")
    slurm.submit(5, "sleep 600", "--nodelist=p1,p2", "--job-name=a|b} \"c\"", nodes=2)
    slurm.submit(1, "sleep 600", "--nodelist=p3", "--exclusive", "--no-requeue")
    ends = slurm.submit(1, STUBBORN, "--nodelist=p1")
    stopped = slurm.submit(1, "sleep 600", "--nodelist=p1")
    wait_until(lambda: slurm.running() == 14, "five jobs run")
    slurm.submit(16, "sleep 600", nodes=3)
    slurm.submit(1, "sleep 600", "--hold")
    over = slurm.submit(1, "exit 0", "--nodelist=p2")
    wait_until(lambda: slurm.state(over) in ("COMPLETED", "gone"), "the short job ends")
    slurm.submit(2, "sleep 600", "--array=1-3", "--nodelist=p2")
    slurm.run("scontrol", "suspend", stopped)
    slurm.run("scontrol", "create", "reservation", "reservationname=leasehold-p1-1",
              "starttime=now", "duration=infinite", "users=root", "nodes=p1", "corecnt=1",
              "flags=overlap")
    slurm.run("scontrol", "create", "reservation", "reservationname=leasehold-p3-2",
              "starttime=now", "duration=infinite", "users=root", "nodes=p3",
              "flags=ignore_jobs,overlap")
    slurm.run("scancel", ends)
    wait_until(lambda: slurm.state(ends) == "COMPLETING", "a job completes")


def add_waiting(slurm: SlurmCluster) -> None:
    """Jobs 12 on, of the shapes that work waits in; two of them for something other than slots."""
    slurm.submit(6, "sleep 600", "--ntasks-per-node=2", "--time=30", nodes=3)
    slurm.submit(2, "sleep 600", "--cpus-per-task=4", "--time=2-00:00:00")
    slurm.submit(2, "sleep 600", "--exclusive", "--time=5", nodes=2)
    slurm.submit(9, "sleep 600", "--time=5:30:00")
    slurm.submit(1, "sleep 600", "--begin=now+1hour")
    slurm.submit(1, "sleep 600", "--dependency=afterok:1")


def forms(slurm: SlurmCluster) -> list[str]:
    listed = slurm.run("squeue", "--json=list", check=False)
    if listed.returncode != 0:
        return [""]
    return sorted(set(re.findall(r"v\d+\.\d+\.\d+", listed.stdout + listed.stderr)))


def scrubbed(text: str, slurm: SlurmCluster) -> str:
    machine = socket.gethostname().split(".")[0]
    text = text.replace(str(slurm.path), "/var/lib/slurm")
    text = re.sub(rf"\b{re.escape(machine)}\b", "head", text)
    return re.sub(r"OS=Linux .*? (?=RealMemory)", "OS=Linux  ", text)


def with_a_job_a_line(text: str) -> str:
    told = json.loads(text)
    jobs = ",\n".join(json.dumps(job) for job in told.pop("jobs"))
    rest = json.dumps(told)
    return f'{rest[:-1]}, "jobs": [\n{jobs}\n]}}\n'


def main() -> int:
    if len(sys.argv) != 2 or not installed():
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with SlurmCluster("provider", NODES, kill_wait=30) as slurm:
        make_scene(slurm)
        for form in forms(slurm):
            text = slurm.run("squeue", f"--json={form}" if form else "--json")
            (folder / f"jobs_{form or 'plain'}.json").write_text(
                scrubbed(with_a_job_a_line(text), slurm))
        for name, command in TEXTS.items():
            (folder / f"{name}.out").write_text(scrubbed(slurm.run(*command), slurm))
        add_waiting(slurm)
        (folder / "squeue_waiting.out").write_text(scrubbed(slurm.run(*TEXTS["squeue"]), slurm))
    return 0


if __name__ == "__main__":
    sys.exit(main())
