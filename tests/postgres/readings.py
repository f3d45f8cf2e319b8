"""What an operator reads of several brokers, leasectl having all of them in its list, and what must be true of it.

Description: broker/guide/standby.md, "While nobody leads". For rounds.py, which brings the site there.
"""
import json
import re
from typing import NamedTuple

from nobody_leads_test import HELPS, SAYS
from processes import PROGRAMS, run

NOTHING = "nothing needs a person"
WORDS = ("brokers", "brokers --json", "status", "attention", "doctor")
IN_TEXT = ("brokers", "status", "attention")
_HEAD_OF_NEED = re.compile(r"^\S[^\n]*?  (?P<kind>[a-z-]+)  (?P<subject>\S.*)$", re.M)
# No site of these rounds does what these say, whatever befalls its brokers.
NEVER = {"breach", "overdue", "cannot-fence", "host-unknown", "host-missing", "host-too-small", "host-indivisible",
         "host-reserved", "order-forgotten", "degraded"}
# A refusal is told for ten minutes, though the agent was let in since.
TOLD_FOR_LONG = {"agent-refused"}


class Said(NamedTuple):
    status: int
    text: str
    errors: str

    @property
    def first(self) -> str:
        return (self.text.splitlines() or [""])[0]


def say(words: str, places) -> Said:
    """What leasectl says with these brokers in its list."""
    done = run(PROGRAMS / "leasectl", *words.split(), "--broker", ",".join(place.control for place in places))
    return Said(done.returncode, done.stdout, done.stderr)


def says_nobody_leads(place) -> bool:
    """Of itself, asked alone."""
    said = say("brokers", [place])
    return said.status == 4 and bool(SAYS.match(said.first))


def needs_in(attention: Said) -> set[tuple[str, str]]:
    """Kind and subject of each."""
    return {(found["kind"], found["subject"]) for found in _HEAD_OF_NEED.finditer(attention.text)}


class Look:
    """One look of an operator: each of the commands once."""

    def __init__(self, places) -> None:
        self.said = {words: say(words, places) for words in WORDS}

    def __getitem__(self, words: str) -> Said:
        return self.said[words]

    def rows(self) -> list[dict]:
        return json.loads(self["brokers --json"].text or "[]")

    def needs(self) -> set[tuple[str, str]]:
        return needs_in(self["attention"])

    def faults(self) -> set[str]:
        return {line for line in self["doctor"].text.splitlines() if line.startswith(("fault", "caution"))}

    def is_whole(self, alive) -> bool:
        """Every command was answered, by every broker that runs: none took longer than leasectl waits."""
        answered = {row["name"] for row in self.rows()}
        return all(said.status in (0, 1, 4) for said in self.said.values()) \
            and {place.name for place in alive} <= answered

    def text(self) -> str:
        return "".join(f"$ leasectl {words}    -> {said.status}\n{said.text}{said.errors}\n"
                       for words, said in self.said.items())


class Judged:
    """What was asked of a look, line by line."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def that(self, true, line: str) -> None:
        self.lines.append(f"{'ok   ' if true else 'WRONG'} {line}")

    def wrong(self) -> list[str]:
        return [line for line in self.lines if line.startswith("WRONG")]


def while_nobody_leads(judged: Judged, look: Look, refused: Said) -> None:
    """`refused`: what an order was answered."""
    for words in IN_TEXT:
        said = look[words]
        judged.that(said.status == 4, f"{words}: exit {said.status} is 4")
        judged.that(SAYS.match(said.first), f"{words}: its first line says that nobody leads: {said.first}")
        judged.that(NOTHING not in said.text, f"{words}: not that {NOTHING}")
        judged.that(len(said.text.splitlines()) > 1, f"{words}: it answers besides")
    roles = {row["name"]: row["role"] for row in look.rows()}
    judged.that("leader" not in roles.values(), f"brokers: none is called the leader: {roles}")
    judged.that(not any(row["leader"] for row in look.rows()), "brokers: none names another as the leader")
    judged.that("nobody-leads" in {kind for kind, _ in look.needs()}, "attention: that nobody leads")
    judged.that(HELPS.search(look["attention"].text), "attention: what would help")
    judged.that("fault  broker" in look["doctor"].text, "doctor: it is a fault of brokers")
    judged.that(look["doctor"].status == 4, f"doctor: exit {look['doctor'].status} is 4")
    judged.that(refused.status == 4 and SAYS.search(refused.errors), f"an order is refused: {refused.errors.strip()}")


def while_led(judged: Judged, look: Look, holder: str) -> None:
    """By the broker that the database's row names, the whole time of the look."""
    leading = [row["name"] for row in look.rows() if row["role"] == "leader"]
    judged.that(leading == [holder], f"brokers: {holder} leads, and no other says so of itself: {leading}")
    for words in IN_TEXT:
        said = look[words]
        judged.that(said.status in (0, 1), f"{words}: exit {said.status} is not that nobody leads")
        judged.that(not SAYS.match(said.first), f"{words}: its first line says something else: {said.first}")
    judged.that(re.search(rf"^broker +{re.escape(holder)} ", look["status"].text, re.M), f"status: of {holder}")
    for words in ("status", "attention"):
        said = look[words]
        judged.that((NOTHING in said.text) == (said.status == 0),
                    f"{words}: exit {said.status} goes with whether {NOTHING}")
    never = {kind for kind, _ in look.needs()} & (NEVER | {"nobody-leads"})
    judged.that(not never, f"attention: nothing that cannot be: {sorted(never)}")
    judged.that("nobody leads" not in look["doctor"].text, "doctor: somebody leads")
    judged.that("fault  clocks" not in look["doctor"].text, "doctor: no agent's clock is accused")


def when_well(judged: Judged, look: Look, holder: str, usual: set[str]) -> None:
    """Beside what must be true while it leads. `usual`: what doctor said before anything under_way the site."""
    rows = look.rows()
    roles = sorted(row["role"] for row in rows)
    judged.that(roles == ["leader", *["standby"] * (len(rows) - 1)], f"brokers: one leads, others stand by: {roles}")
    judged.that({row["leader"] for row in rows} == {holder}, f"brokers: all name {holder}")
    judged.that(look["brokers"].status == 0, f"brokers: exit {look['brokers'].status} is 0")
    left = {(kind, subject) for kind, subject in look.needs() if kind not in TOLD_FOR_LONG}
    judged.that(not left, f"attention: nothing is left: {sorted(left)}")
    judged.that(look.faults() <= usual, f"doctor: nothing is left: {sorted(look.faults() - usual)}")
