"""A job as most are: a shell and a child that does something, and no thought of any signal."""
from pathlib import Path


class OrdinaryJob:
    """What a job did, by what it wrote itself: the starts and ends of its script, and when it lived."""

    def __init__(self, path: Path) -> None:
        self.id = ""
        self._lines, self._beats, self._end = (Path(f"{path}.{what}") for what in ("lines", "beats", "end"))

    def script(self) -> str:
        """Its loop may be ended a moment before its shell is: that is no end of its own."""
        return (f"echo started >>{self._lines}\n"
                f"sh -c 'until [ -e {self._end} ]; do date +%s.%N >>{self._beats}; sleep 0.2; done' &&\n"
                f"echo finished >>{self._lines}")

    def finish(self) -> None:
        """It ends well as soon as it looks."""
        self._end.touch()

    def lines(self) -> list[str]:
        return self._lines.read_text().split() if self._lines.exists() else []

    def last_beat(self) -> float:
        """In seconds since 1970; 0: none yet."""
        beats = self._beats.read_text().rpartition("\n")[0].split() if self._beats.exists() else []
        return float(beats[-1]) if beats else 0
