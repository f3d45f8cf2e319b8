"""A Debian root with its real systemd, in namespaces of its own, over a copy that is thrown away: what is
installed there is there as on a machine, and gone afterwards. As root; shares the machine's network."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_BOOT = """\
set -eu
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$OVER/upper,workdir=$OVER/work" "$OVER/merged"
cd "$OVER/merged"
mount -t proc proc proc
mount -t tmpfs tmpfs run
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t devtmpfs dev dev
mkdir -p packages
mount --bind "$PACKAGES" packages
cp -L /etc/resolv.conf etc/resolv.conf 2>/dev/null || true
exec env -i container=leasehold PATH=%s chroot . /lib/systemd/systemd
""" % _PATH


class Failed(Exception):
    """A command in the root ended with another status than 0."""


class Booted:
    """`with Booted(root, packages) as machine: machine.run("systemctl status")`."""

    def __init__(self, root: Path, packages: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="leasehold-booted-"))
        for name in ("upper", "work", "merged"):
            (self.folder / name).mkdir()
        environment = {**os.environ, "ROOT": str(root), "OVER": str(self.folder),
                       "PACKAGES": str(packages)}
        with open(self.folder / "console", "w") as console:
            self.process = subprocess.Popen(
                ["unshare", "--fork", "--kill-child=SIGKILL", "--pid", "--mount", "--uts", "--ipc",
                 "--cgroup", "sh", "-c", _BOOT], env=environment, stdin=subprocess.DEVNULL,
                stdout=console, stderr=console)

    def __enter__(self) -> "Booted":
        self.wait_until(lambda: self.run("systemctl is-system-running", check=False).strip()
                        in ("running", "degraded"), "systemd runs")
        return self

    def __exit__(self, *_) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _first(self) -> int:
        """Its first process, as this machine counts."""
        if self.process.poll() is not None:
            raise Failed(f"it does not boot:\n{(self.folder / 'console').read_text()}")
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return int(children.split()[0]) if children.strip() else 0

    def run(self, command: str, check: bool = True, user: str = "") -> str:
        """What a shell there prints; Failed: another status than 0."""
        first = self._first()
        if first == 0:
            return ""
        words = ["sh", "-c", command]
        if user:
            words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]
        done = subprocess.run(
            ["nsenter", f"--target={first}", "--all", "--root", "env", "-i", "--chdir=/",
             f"PATH={_PATH}", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
             *words], capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            raise Failed(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def works(self, command: str, user: str = "") -> bool:
        try:
            self.run(command, user=user)
        except Failed:
            return False
        return True

    def write(self, path: str, text: str) -> None:
        """As root; who may read it stays as it is where it is there already."""
        self.run(f"cat > {path} <<'END'\n{text}\nEND")

    def wait_until(self, holds, what: str, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise Failed(f"in vain: {what}")
            time.sleep(0.1)
