"""A real Slurm cluster on loopback for tests, without systemd: its own munged, slurmctld and one slurmd
a node, all on this machine and as this user. The clients choose it by SLURM_CONF alone.

    with SlurmCluster("east", {"p1": 8, "p2": 8}) as east:
        job = east.submit(2, "sleep 60")

Daemons are children that die with the test; however it ends, what they started is found by the
SLURM_CONF in its environment and ended by its id. Not for clusters that anyone else uses.
"""
import contextlib
import ctypes
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
import cgroups  # noqa: E402
import places  # noqa: E402
from ordinary_job import OrdinaryJob  # noqa: E402
from ports import Claim  # noqa: E402
from processes import LAST_BOUND_S, wait_until  # noqa: E402
from slurm_programs import SlurmPrograms  # noqa: E402
from slurm_session import Job, SlurmSession, listed, numbers  # noqa: E402

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
_HOLDING = ("RUNNING", "COMPLETING", "SUSPENDED", "CONFIGURING")

CONFIG = """\
ClusterName={name}
SlurmctldHost={machine}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={path}/state
SlurmdSpoolDir={path}/spool-%n
SlurmctldPidFile={path}/slurmctld.pid
SlurmdPidFile={path}/slurmd-%n.pid
SlurmctldLogFile={path}/slurmctld.log
SlurmdLogFile={path}/slurmd-%n.log
PlugStackConfig={path}/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
SwitchType=switch/none
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=2,bf_resolution=1,sched_min_interval=100000
PriorityType=priority/basic
PreemptMode=OFF
JobCompType=jobcomp/none
JobRequeue=1
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=60
InactiveLimit=0
KillWait={kill_wait}
MessageTimeout=10
"""


def installed() -> bool:
    return SlurmPrograms.chosen().installed()


class SlurmCluster:
    """`settings`: of slurm.conf besides, or instead of those below; `partition`: how its one partition is
    set up; `closed`: nodes that slurm.conf keeps drained until an agent's fence stands; `database`: where
    its accounts are (slurm_database.py), whose munged it uses; `devices`: of nodes, as "gpu:2"."""

    def __init__(self, name: str, nodes: dict[str, int], kill_wait: int = 2, threads: int = 1,
                 user: str = "root", settings: dict[str, str] | None = None,
                 partition: str = "OverSubscribe=NO", database=None,
                 devices: dict[str, str] | None = None, closed: tuple[str, ...] = ()) -> None:
        self.name = name
        self.nodes = nodes
        self.programs = SlurmPrograms.chosen()
        self.settings = {"SelectType": "select/cons_tres",
                         "SelectTypeParameters": "CR_CPU" if threads == 1 else "CR_Core",
                         "AccountingStorageType": "accounting_storage/none", "MinJobAge": "60",
                         **(settings or {})}
        self.partition = partition
        self.closed = closed
        self.database = database
        self.devices = {node: what for node, what in (devices or {}).items() if node in nodes}
        if database:
            self.settings.update(database.settings())
        self.path = Path(tempfile.mkdtemp(prefix=f"leasehold-slurm-{name}-"))
        self.path.chmod(0o755)
        self.claim = Claim()
        self.config = self.path / "slurm.conf"
        self.environment = {**os.environ, "SLURM_CONF": str(self.config), "LC_ALL": "C", "TZ": "UTC"}
        self.bin_dir = self.programs.write_bin_dir(self.path / "bin")
        self._daemons: dict[str, subprocess.Popen] = {}
        self._sessions: dict[int, SlurmSession] = {}  # by thread
        self.settings.setdefault("AuthInfo", f"socket={self.path}/munge.socket")
        self._write_config(kill_wait, threads, user)

    def note_calls(self) -> Path:
        """From now on an agent that is started calls clients which write down each call, here."""
        calls = self.path / "calls"
        calls.touch()
        self.bin_dir = self.programs.write_bin_dir(self.path / "bin", calls)
        return calls

    def client(self, name: str) -> str:
        """To be called by a shell."""
        return " ".join(self.programs.command(name))

    def meddle(self, client: str, lines: str) -> None:
        """An agent that is started from now on calls this client with these lines of shell before it."""
        self.meddle_all({client: lines})

    def meddle_all(self, lines: dict[str, str]) -> None:
        """By client."""
        self.bin_dir = self.programs.write_bin_dir(self.path / "bin", before=lines)

    def __enter__(self) -> "SlurmCluster":
        with contextlib.ExitStack() as place:
            place.enter_context(places.of_managers(together=2))  # and a site
            try:
                self.start()
            except BaseException:
                self.close()
                raise
            self.place = place.pop_all()
        return self

    def said(self) -> str:
        """The controller's log."""
        log = self.path / "slurmctld.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def __exit__(self, kind, error, trace) -> None:
        if kind is not None:
            print(f"---- slurmctld of {self.name}\n{self.said()[-3000:]}", file=sys.stderr)
        self.close()
        self.place.close()

    def _write_config(self, kill_wait: int, threads: int, user: str) -> None:
        machine = socket.gethostname().split(".")[0]
        port, *node_ports = self.claim.ports
        lines = [CONFIG.format(name=self.name, machine=machine, port=port, path=self.path, user=user,
                                kill_wait=kill_wait)]
        lines += [f"{key}={value}\n" for key, value in self.settings.items() if value]
        for (node, cores), node_port in zip(self.nodes.items(), node_ports, strict=False):
            lines.append(f"NodeName={node} NodeHostname={machine} NodeAddr=127.0.0.1 Port={node_port} "
                         f"CPUs={cores * threads} Boards=1 SocketsPerBoard=1 CoresPerSocket={cores} "
                         f"ThreadsPerCore={threads} RealMemory=16000"
                         + (f" Gres={self.devices[node]}" if node in self.devices else "")
                         + (" State=DRAIN Reason=leasehold" if node in self.closed else " State=UNKNOWN")
                         + "\n")
            (self.path / f"spool-{node}").mkdir()
        lines.append("PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP "
                     f"{self.partition}\n")
        self.config.write_text("".join(lines))
        (self.path / "plugstack.conf").write_text("")
        self._write_devices()
        if self.settings.get("TaskPlugin") == "task/cgroup":
            (self.path / "cgroup.conf").write_text(cgroups.CONFIG)
        elif self.programs.wants_cgroups():
            (self.path / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        (self.path / "state").mkdir()
        key = self.path / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)

    def _write_devices(self) -> None:
        """Counted, and no files: nothing is opened."""
        if not self.devices:
            return
        rows = [f"NodeName={node} Name={what.split(':')[0]} Count={what.split(':')[1]}\n"
                for node, what in self.devices.items()]
        (self.path / "gres.conf").write_text("".join(rows))

    # Daemons

    def _run(self, name: str, *command: str) -> None:
        program, *arguments = command
        with (self.path / "daemons.log").open("ab") as log:
            self._daemons[name] = subprocess.Popen(
                [*self.programs.command(program), *arguments], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, cwd=self.path, env=self.environment, start_new_session=True,
                preexec_fn=lambda: _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL))

    def start(self) -> None:
        if self.database:
            self.database.manage("add", "cluster", self.name)
        else:
            self._start_munge()
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        self.wait_until_up()

    def _start_munge(self) -> None:
        self._run("munged", "munged", "--foreground", "--force",
                  f"--socket={self.path}/munge.socket", f"--key-file={self.path}/munge.key",
                  f"--log-file={self.path}/munged.log", f"--pid-file={self.path}/munged.pid",
                  f"--seed-file={self.path}/munged.seed", "--num-threads=2")
        wait_until((self.path / "munge.socket").exists, "munged listens", every=0.02)

    def start_controller(self, *options: str) -> None:
        self._run("slurmctld", "slurmctld", "-D", *options, "-f", str(self.config))

    def start_controller_anew(self) -> None:
        """Without its state: -c alone keeps reservations that were saved."""
        for saved in (self.path / "state").glob("resv_state*"):
            saved.unlink()
        self.start_controller("-c")

    def kill_controller(self) -> None:
        """SIGKILL, and gone when this returns."""
        self._daemons["slurmctld"].kill()
        self._daemons["slurmctld"].wait()

    def stop_controller(self) -> None:
        """SIGTERM: it has written its state, and is gone, when this returns."""
        self._daemons["slurmctld"].terminate()
        self._daemons["slurmctld"].wait(LAST_BOUND_S)

    def start_node(self, node: str, *options: str) -> None:
        self._run(node, "slurmd", "-D", "-f", str(self.config), "-N", node, *options)

    def boot_node(self, node: str) -> None:
        """Its slurmd starts again, and says that the machine did."""
        self._daemons[node].kill()
        self._daemons[node].wait()
        self.start_node(node, "-b")

    def node_state(self, node: str) -> str:
        return self.run("scontrol", "show", "node", "-o", node).split(" State=")[1].split()[0]

    def answers(self) -> bool:
        return self.run("scontrol", "ping", check=False).returncode == 0

    def answers_now(self) -> bool:
        """Without a call: its controller runs. Clients would wait long for one that does not."""
        controller = self._daemons.get("slurmctld")
        return controller is not None and controller.poll() is None

    def wait_until_up(self) -> None:
        def up():
            lines = self.run("scontrol", "show", "node", "-o").splitlines()
            states = [line.split("State=")[1].split()[0] for line in lines if line]
            assert all(state.split("+")[0] in ("IDLE", "MIXED", "ALLOCATED") for state in states), states
            return True
        wait_until(lambda: self.answers() and up(), f"the nodes of {self.name} are up", every=0.3)  # of programs

    def close(self) -> None:
        """Ends everything by its id; jobs too."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()
        for daemon in self._daemons.values():
            if daemon.poll() is None:
                daemon.kill()
        for daemon in self._daemons.values():
            daemon.wait()
        for _ in range(20):
            left = list(self._left_over())
            for process in left:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not left:
                break
            time.sleep(0.05)
        self.claim.release()
        shutil.rmtree(self.path, ignore_errors=True)

    def _left_over(self):
        """slurmstepd and what runs in jobs: SLURM_CONF is ours, and it is a step or has a job's id."""
        mark = f"SLURM_CONF={self.config}".encode()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
                program = (entry / "comm").read_text().strip()
                state = (entry / "stat").read_text().rpartition(") ")[2][0]
            except OSError:
                continue
            if mark not in environment or state == "Z":
                continue
            if program == "slurmstepd" or any(each.startswith(b"SLURM_JOB_ID=") for each in environment):
                yield int(entry.name)

    # Clients

    def run(self, *command: str, check: bool = True):
        """Output of a client; with check=False the finished process."""
        done = subprocess.run([*self.programs.command(command[0]), *command[1:]],
                              capture_output=True, text=True, env=self.environment,
                              stdin=subprocess.DEVNULL, timeout=LAST_BOUND_S, check=False,
                              cwd=self.path)
        if not check:
            return done
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def submit(self, cpus: int, script: str, *options: str, nodes: int = 1) -> str:
        """A batch job; its id."""
        text = self.run("sbatch", "--parsable", f"--nodes={nodes}", f"--ntasks={cpus}",
                        "--output=/dev/null", *options, "--wrap", script)
        return text.strip().split(";")[0]

    def submit_ordinary(self, name: str, *options: str, cpus: int = 1) -> OrdinaryJob:
        """As most jobs are: a shell and a child that does something, and no thought of any signal."""
        job = OrdinaryJob(self.path / name)
        job.id = self.submit(cpus, job.script(), *options)
        return job

    def facts(self, job: str) -> dict[str, str]:
        """What the controller says of it: JobState, Restarts, ExitCode, …; {}: it knows no such job. Of a
        name without blanks."""
        for line in self.run("scontrol", "-o", "show", "job", job, check=False).stdout.splitlines():
            facts = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if facts.get("JobId") == job:
                return facts
        return {}

    def jobs(self) -> list[Job]:
        return listed(self._ask("show job"))

    def memory_given(self, node: str) -> int:
        """Megabytes of the node that its jobs have."""
        return int(re.search(r" AllocMem=(\d+)", self.run("scontrol", "-o", "show", "node", node)).group(1))

    def state(self, job: str) -> str:
        for each in self.jobs():
            if each.id == job:
                return each.state
        return "gone"

    def running(self, node: str = "") -> int:
        """CPUs of running jobs, on this node or on all."""
        return sum(job.cpus for job in self.jobs()
                   if job.state == "RUNNING" and node in ("", job.nodes))

    def work(self) -> dict[tuple[str, str, str], set[int]]:
        """The very CPUs that jobs hold, completing ones too, as the controller tells: by node, job and its start,
        which tells it from the same job begun anew. An agent's hold jobs are fences."""
        use: dict[tuple[str, str, str], set[int]] = {}
        for line in self._ask("show job").splitlines():
            state = re.search(r" JobState=(\S+)", line)
            if not state or state.group(1) not in _HOLDING or " JobName=leasehold-" in line:
                continue
            job, start = (re.search(rf"\b{key}=(\S+)", line).group(1) for key in ("JobId", "StartTime"))
            for nodes, ids in re.findall(r" Nodes=(\S+) CPU_IDs=(\S+)", line):
                for node in self.names(nodes):
                    use.setdefault((node, job, start), set()).update(numbers(ids))
        return use

    def _ask(self, words: str) -> str:
        """Each thread has a session of its own, which ends with it."""
        me = threading.get_ident()
        session = self._sessions.get(me)
        if session is None or session.has_ended():
            if session is not None:
                session.close()
            session = SlurmSession(self.programs.command("scontrol"), self.environment, self.path)
            self._sessions[me] = session
        try:
            return session.ask(words)
        except (AssertionError, OSError) as error:  # what it still says belongs to no later question
            self._sessions.pop(me).close()
            raise AssertionError(f"{words}: {error}") from error

    @staticmethod
    def names(nodes: str) -> list[str]:
        found = []
        for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", nodes):
            match = re.fullmatch(r"([^\[]*)\[(.*)\]", part)
            found += [match[1] + str(n) for n in sorted(numbers(match[2]))] if match else [part]
        return found

    def held(self, node: str) -> int:
        """CPUs of the node that an agent's hold jobs have."""
        return sum(job.cpus for job in self.jobs() if job.state == "RUNNING" and job.nodes == node
                   and job.name.startswith(f"leasehold-{node}-"))

    def reservations(self) -> list[str]:
        return re.findall(r"ReservationName=(\S+)", self.run("scontrol", "-o", "show", "reservation"))
