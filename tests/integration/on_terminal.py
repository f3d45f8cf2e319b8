"""What leasectl prints where its stdout is a terminal."""
import os
import pty
import subprocess

from processes import LAST_BOUND_S, PROGRAMS


def on_terminal(*words: object, columns: int = 80, **environment: str) -> str:
    ours, its = pty.openpty()
    kept = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with subprocess.Popen([PROGRAMS / "leasectl", *map(str, words)], stdout=its,
                          stdin=subprocess.DEVNULL, env={**kept, "TERM": "xterm",
                                                         "COLUMNS": str(columns), **environment}) as ran:
        os.close(its)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        ran.wait(LAST_BOUND_S)
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")
