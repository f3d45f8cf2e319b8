"""Real Grid Engine cells on loopback, for tests: no systemd, no root's spool, nothing left behind.

    with Cell(folder / "east", "big1", ports=(21001, 21002), slots=8) as cell:
        cell.submit("sleep", "60", slots=2)

A cell has a root, a cell name and two ports of its own, and one execution daemon: Grid Engine lets a
machine run one for each cell. What the machine is called in the cell is up to the cell: its
`host_aliases` make the name the machine's, and libnss-wrapper makes the name one that resolves, so
that nothing is written to /etc. Further hosts may be named; they have no daemon and stay unknown, or
are simulated by the master itself (`simulated`: SIMULATE_EXECDS).

The daemons are children of the test in the foreground and die with it, also when it is killed; jobs
are found by their environment and ended by process id.
"""
import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
import places  # noqa: E402
from processes import LAST_BOUND_S, _end_with_parent, preloaded, wait_until  # noqa: E402

LIB = Path("/usr/lib/gridengine")
SHARE = Path("/usr/share/gridengine")
WRAPPER = next(iter(sorted(Path("/usr/lib").glob("*/libnss_wrapper.so"))), None)
PACKAGES = "gridengine-master gridengine-exec gridengine-client libnss-wrapper"


def lacking() -> str:
    """What keeps cells from being started here; "" when nothing does."""
    programs = [LIB / name for name in ("sge_qmaster", "sge_execd", "qconf")]
    there = WRAPPER is not None and all(program.exists() for program in programs)
    return "" if there else f"not installed: {PACKAGES} (scripts/install-packages)"


class Cell:
    def __init__(self, folder: Path, host: str, ports: tuple[int, int], slots: int = 8,
                 further: tuple[str, ...] = (), simulated: bool = False) -> None:
        self.folder = Path(folder).resolve()
        self.name = self.folder.name
        self.root = self.folder / "root"
        self.host = host
        self.ports = ports
        self.slots = slots
        self.further = further
        self.simulated = simulated
        self.master: subprocess.Popen | None = None
        self.executor: subprocess.Popen | None = None
        self.environment = {
            **os.environ, "SGE_ROOT": str(self.root), "SGE_CELL": self.name,
            "SGE_QMASTER_PORT": str(ports[0]), "SGE_EXECD_PORT": str(ports[1]),
            "SGE_ARCH": "lx-amd64", "SGE_SINGLE_LINE": "1", "LD_PRELOAD": preloaded(WRAPPER),
            "NSS_WRAPPER_HOSTS": str(self.folder / "hosts"), "LC_ALL": "C", "TZ": "UTC"}

    def __enter__(self) -> "Cell":
        with contextlib.ExitStack() as place:
            place.enter_context(places.of_managers(together=2))  # and a site
            try:
                self.start()
            except BaseException:
                self.stop()
                raise
            self.place = place.pop_all()
        return self

    def __exit__(self, kind, *_) -> None:
        if kind is not None:
            self._tell()
        self.stop()
        self.place.close()

    def _tell(self) -> None:
        """What the scheduler itself has to say, for whoever reads of a failure."""
        for words in (("qstat", "-f", "-u", "*"), ("qhost",)):
            print(f"---- {words[0]} of {self.folder.name}\n{self.call(*words, check=False).stdout}",
                  file=sys.stderr)
        for log in sorted((self.folder / "spool").glob("**/messages")):
            print(f"---- {log}\n{log.read_text(errors='replace')[-3000:]}", file=sys.stderr)

    # Files

    def _make(self) -> None:
        common = self.root / self.name / "common"
        spool = self.folder / "spool"
        for made in (common, spool / "qmaster/job_scripts", spool / "db", spool / "execd"):
            made.mkdir(parents=True, exist_ok=True)
        for link in ("util", "bin", "lib", "utilbin"):
            (self.root / link).symlink_to(Path("/var/lib/gridengine", link).resolve())
        machine = socket.gethostname()
        aliases = [name for name in dict.fromkeys(["localhost", machine]) if name != self.host]
        lines = [" ".join(["127.0.0.1", self.host, *aliases])]
        lines += [f"127.1.{number // 250}.{number % 250 + 1} {name}"
                  for number, name in enumerate(self.further)]
        (self.folder / "hosts").write_text("\n".join(lines) + "\n")
        self._wrap_programs()
        (common / "host_aliases").write_text(" ".join([self.host, *aliases]) + "\n")
        (common / "act_qmaster").write_text(self.host + "\n")
        settings = {
            "admin_user": getpass.getuser(), "default_domain": "none", "ignore_fqdn": "true",
            "spooling_method": "berkeleydb", "spooling_lib": "libspoolb",
            "spooling_params": spool / "db", "binary_path": LIB,
            "qmaster_spool_dir": spool / "qmaster", "security_mode": "none",
            "listener_threads": 2, "worker_threads": 2, "scheduler_threads": 1}
        (common / "bootstrap").write_text(
            "".join(f"{key} {value}\n" for key, value in settings.items()))

    def _wrap_programs(self) -> None:
        """For an agent, which is to run without the cell's library: a sanitized one could not."""
        (self.folder / "bin").mkdir()
        for program in ("qconf", "qstat", "qselect", "qhost", "qmod", "qdel", "qacct", "qalter", "qquota",
                        "qrstat", "gethostname"):
            path = self.folder / "bin" / program
            path.write_text(f"#!/bin/sh\nexport LD_PRELOAD={preloaded(WRAPPER)} "
                            f"NSS_WRAPPER_HOSTS={self.folder}/hosts\nexec {LIB / program} \"$@\"\n")
            path.chmod(0o755)

    def _initialize(self) -> None:
        changes = {"execd_spool_dir": self.folder / "spool/execd", "min_uid": 0, "min_gid": 0,
                   "load_report_time": "00:00:01", "mailer": "/bin/true",
                   "gid_range": f"{self._first_gid()}-{self._first_gid() + 99}"}
        if self.simulated:
            changes["qmaster_params"] = "SIMULATE_EXECDS=TRUE"
        text = changed((SHARE / "default-configuration").read_text(), changes)
        (self.folder / "configuration").write_text(text)
        self._tool("spoolinit", "berkeleydb", "libspoolb", self.folder / "spool/db", "init")
        for what, source in (("configuration", self.folder / "configuration"),
                             ("complexes", SHARE / "util/resources/centry"),
                             ("usersets", SHARE / "util/resources/usersets"),
                             ("managers", getpass.getuser())):
            self._tool("spooldefaults", what, source)

    def _first_gid(self) -> int:
        """Cells of one machine must not share the groups by which they know their jobs' processes."""
        return 100_000 + 100 * self.ports[0]

    def _tool(self, name: str, *words) -> None:
        done = run(LIB / name, *words, env=self.environment)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"

    # Processes

    def start(self) -> None:
        self._make()
        self._initialize()
        self.start_master()
        self.call("qconf", "-ah", self.host, check=False)
        self.call("qconf", "-as", self.host, check=False)
        self._start_executor()
        if self.simulated:
            self.set_from_file("-Mc", self.call("qconf", "-sc").stdout
                               + "load_report_host lrh STRING == YES NO NONE 0\n")
        for host in (self.host, *self.further):
            self._add_host(host)
        self._configure()
        wait_until(lambda: self.host_state(self.host) == "", f"{self.host} is ready")

    def start_master(self) -> None:
        self.master = self._spawn("sge_qmaster")
        wait_until(lambda: self.call("qconf", "-sh", check=False).returncode == 0,
                   f"the master of {self.name} answers", every=0.05)

    def kill_master(self) -> None:
        """kill -9; restart_master() brings it back. The execution daemon stands still meanwhile: one that
        finds no master when it first asks for it asks again half a minute later."""
        self.executor.send_signal(signal.SIGSTOP)
        end(self.master, signal.SIGKILL)

    def restart_master(self) -> None:
        self.start_master()
        self.executor.send_signal(signal.SIGCONT)

    def _start_executor(self) -> None:
        self.executor = self._spawn("sge_execd")

    def _spawn(self, program: str) -> subprocess.Popen:
        with (self.folder / f"{program}.log").open("ab") as log:
            return subprocess.Popen([LIB / program], cwd=self.folder, stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=log, preexec_fn=_end_with_parent,
                                    env={**self.environment, "SGE_ND": "1"})

    def stop(self) -> None:
        for process in (self.executor, self.master):  # nothing of it is needed again
            end(process, signal.SIGKILL)
        self._end_jobs()

    def _end_jobs(self) -> None:
        """Shepherds and jobs outlive their daemon: whatever has this root in its environment."""
        for _ in range(3):
            for process in self._processes():
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.02)

    # Configuration

    def _add_host(self, host: str) -> None:
        load = f"load_report_host={self.host}" if self.simulated and host != self.host else "NONE"
        values = {"hostname": host, "load_scaling": "NONE",
                  "complex_values": load, "user_lists": "NONE",
                  "xuser_lists": "NONE", "projects": "NONE", "xprojects": "NONE",
                  "usage_scaling": "NONE", "report_variables": "NONE"}
        self.set_from_file("-Ae", values, check=host != self.host)

    def _configure(self) -> None:
        hosts = " ".join((self.host, *self.further))
        self.set_from_file("-Ahgrp", {"group_name": "@allhosts", "hostlist": hosts})
        for name, rule in (("smp", "$pe_slots"), ("mpi", "$fill_up")):
            self.set_from_file("-Ap", {
                "pe_name": name, "slots": 99999, "user_lists": "NONE", "xuser_lists": "NONE",
                "start_proc_args": "NONE", "stop_proc_args": "NONE", "allocation_rule": rule,
                "control_slaves": "FALSE", "job_is_first_task": "TRUE", "urgency_slots": "min",
                "accounting_summary": "FALSE", "qsort_args": "NONE"})
        template = self.call("qconf", "-sq").stdout
        self.set_from_file("-Aq", changed(template, {
            "qname": "all.q", "hostlist": "@allhosts", "slots": self.slots, "shell": "/bin/sh",
            "load_thresholds": "NONE", "rerun": "TRUE", "pe_list": "smp mpi",
            "notify": "00:00:03"}))
        self.set_from_file("-Msconf", changed(self.call("qconf", "-ssconf").stdout, {
            "schedule_interval": "0:0:1", "flush_submit_sec": 1, "flush_finish_sec": 1}))

    def set_from_file(self, option: str, values, check: bool = True) -> None:
        if isinstance(values, dict):
            values = "".join(f"{key} {value}\n" for key, value in values.items())
        path = self.folder / f"qconf{option}"
        path.write_text(values)
        self.call("qconf", option, path, check=check)

    # Questions and orders, by Grid Engine's own programs

    def call(self, program: str, *words, check: bool = True, **options):
        done = run(LIB / program, *words, env=self.environment, **options)
        assert not check or done.returncode == 0, \
            f"{program} {words}: {done.returncode} {done.stdout}{done.stderr}"
        return done

    def submit(self, *command: str, slots: int = 1, options: tuple[str, ...] = ()) -> str:
        """A job; its number."""
        wide = ("-pe", "smp", str(slots)) if slots > 1 else ()
        return self.call("qsub", "-terse", "-b", "y", "-o", "/dev/null", "-j", "y", "-cwd", *wide,
                         *options, *command, cwd=self.folder).stdout.strip().split(".")[0]

    def reserve(self, name: str, slots: int, in_s: int = 7200) -> str:
        """An advance reservation of slots of the host, of an hour; its number."""
        begin = time.strftime("%Y%m%d%H%M.%S", time.gmtime(time.time() + in_s))
        answer = self.call("qrsub", "-a", begin, "-d", "1:0:0", "-N", name, "-pe", "smp", slots,
                           "-q", f"all.q@{self.host}").stdout
        return answer.split("reservation ")[1].split()[0]

    def submit_script(self, text: str, *options: str) -> str:
        return self.call("qsub", "-terse", "-o", "/dev/null", "-j", "y", "-cwd", *options,
                         cwd=self.folder, input=f"#!/bin/sh\n{text}\n").stdout.strip()

    def live_jobs(self) -> dict[tuple[int, str], int]:
        """Jobs whose processes are there, whatever the master says: their shepherds, by process and its start. A
        shepherd's child is one more for the moment before it becomes the job."""
        shepherds = set(self._processes(shepherds=True))
        return {(each, start_of(each)): 1 for each in shepherds if parent_of(each) not in shepherds}

    def work(self) -> dict[tuple[str, str, str], int]:
        """Slots of the host that each job has, as the scheduler says, by number, task and start."""
        rows = self._instance(self.host).iter("job_list")
        return {(each.findtext("JB_job_number"), each.findtext("tasks") or "", each.findtext("JAT_start_time") or ""):
                int(each.findtext("slots")) for each in rows}

    def _processes(self, shepherds: bool = False):
        """Of this cell: shepherds, and what they have started."""
        wanted = f"SGE_ROOT={self.root}".encode()
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                is_shepherd = (place / "comm").read_text().strip() == "sge_shepherd"
                if shepherds and not is_shepherd:
                    continue
                environment = (place / "environ").read_bytes().split(b"\0")
                job = any(each.startswith(b"JOB_ID=") for each in environment)
                if wanted in environment and (is_shepherd or job):
                    yield int(place.name)

    def queue_instances(self) -> ElementTree.Element:
        return ElementTree.fromstring(self.call("qstat", "-f", "-u", "*", "-xml").stdout)

    def _instance(self, host: str) -> ElementTree.Element:
        for each in self.queue_instances().iter("Queue-List"):
            if each.findtext("name") == f"all.q@{host}":
                return each
        raise LookupError(f"no all.q@{host}")

    def host_state(self, host: str) -> str:
        return self._instance(host).findtext("state") or ""

    def slots_of(self, host: str = "") -> tuple[int, int]:
        """In use and in all, as the scheduler says."""
        instance = self._instance(host or self.host)
        return int(instance.findtext("slots_used")), int(instance.findtext("slots_total"))

    def jobs(self) -> dict[str, str]:
        """State of every job by its number."""
        return {each.findtext("JB_job_number"): each.findtext("state")
                for each in self.queue_instances().iter("job_list")}

    def slots_line(self) -> str:
        """The queue's attribute as it is configured."""
        for line in self.call("qconf", "-sq", "all.q").stdout.splitlines():
            if line.startswith("slots "):
                return line.split(None, 1)[1].strip()
        raise LookupError("all.q has no slots")

    def agent_settings(self) -> dict:
        return {"root": str(self.root), "cell": self.name, "bin_dir": str(self.folder / "bin"),
                "qmaster_port": self.ports[0], "execd_port": self.ports[1]}


def changed(text: str, values: dict) -> str:
    """Lines `key value` of a configuration, with these values in place of its own."""
    lines = []
    for line in text.splitlines():
        key = line.split(None, 1)[0] if line.strip() else ""
        lines.append(f"{key} {values[key]}" if key in values else line)
    return "\n".join(lines) + "\n"


def parent_of(process: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def start_of(process: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


def end(process: subprocess.Popen | None, number: int) -> None:
    if process is None or process.poll() is not None:
        return
    process.send_signal(number)
    process.wait(LAST_BOUND_S)


def run(program: Path, *words, **options) -> subprocess.CompletedProcess:
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    return subprocess.run([str(program), *map(str, words)], capture_output=True, text=True,
                          timeout=LAST_BOUND_S, check=False, **options)


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
