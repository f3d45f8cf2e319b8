"""A program in Python that agents start again and again: one Python that stays runs it in a child for each call, since
to start Python anew costs ten times what a shell does. Who calls sees a program as before: words, standard input,
output, errors, exit status.
"""
import subprocess
from pathlib import Path

from processes import _end_with_parent

_SERVER = r"""
# More than is used here, so that the modules of the programs are loaded once.
import contextlib, fcntl, io, json, os, signal, socket, sys, time, traceback
program = sys.argv[1]
with open(program, encoding="utf-8") as file:
    code = compile(file.read(), program, "exec")
def received(connection):
    call = b""
    while not call or call.count(b"\0") <= int(call.partition(b"\0")[0]):
        call += connection.recv(1 << 16) or sys.exit("it has gone")
    return call.decode().split("\0")[1:-1]
def run(words):
    *sys.argv, os.environ["LSF_ENVDIR"], text = words
    sys.stdin, said, wrong = io.StringIO(text), io.StringIO(), io.StringIO()
    status = 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        try:
            exec(code, {"__name__": "__main__", "__file__": program})
        except SystemExit as left:
            status = left.code or 0
            if isinstance(left.code, str):
                status = print(left.code, file=sys.stderr) or 1
        except BaseException:
            status = traceback.print_exc() or 1
    return f"{status}\0{wrong.getvalue()}\0{said.getvalue()}\0".encode()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
    print(server.getsockname()[1], flush=True)
    while True:
        connection = server.accept()[0]
        if os.fork() == 0:
            connection.sendall(run(received(connection)))
            os._exit(0)
        connection.close()
"""
_CLIENT = r"""#!/bin/bash
IFS= read -r -d '' text
exec 3<>/dev/tcp/127.0.0.1/{port} || exit
printf '%s\0' $(($# + 3)) "$0" "$@" "$LSF_ENVDIR" "$text" >&3
IFS= read -r -d '' status <&3; IFS= read -r -d '' wrong <&3; IFS= read -r -d '' said <&3
printf '%s' "$wrong" >&2
printf '%s' "$said"
exit "$status"
"""


class Standing:
    """For the time of a `with`; `names`: what agents start."""

    def __init__(self, program: Path, names: list[Path]) -> None:
        self.program = program
        self.names = names

    def __enter__(self) -> "Standing":
        self._process = subprocess.Popen(["/usr/bin/python3", "-BSEs", "-c", _SERVER, self.program],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                         preexec_fn=_end_with_parent)
        client = _CLIENT.replace("{port}", self._process.stdout.readline().strip())
        for name in self.names:
            name.write_text(client)
            name.chmod(0o755)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
