"""The commands of a page of the guide, in order, each with the machine that it is for.

A comment before a block of ```sh says where it is typed: <!-- on east -->, <!-- on west -->, or
<!-- on east west --> for one after the other. Not for the README's blocks, which are of one machine
(readme_test.py). What a command means on that machine is the caller's: a test's, or that of a fresh Debian
(tests/packages/).
"""
import re
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(r"<!-- on (?P<machines>[a-z ]+?) -->\n```sh\n(?P<body>.*?)\n```\n", re.DOTALL)
_ANY = re.compile(r"^```(?:sh|toml|console)\n", re.M)
_HERE = re.compile(r"<<\s*'?(\w+)'?")


class Typed(NamedTuple):
    machine: str
    command: str
    number: int  # of the command on the page; the same on each of its machines
    section: str


def commands_in(block: str) -> list[str]:
    """One for each line; a document that a line begins (<<'END') belongs to it."""
    commands = []
    lines = iter(block.splitlines())
    for line in lines:
        here = _HERE.search(line)
        while here and line.rpartition("\n")[2] != here[1]:
            line += "\n" + next(lines)
        if line.strip():
            commands.append(line)
    return commands


def typed(page: Path) -> list[Typed]:
    """All of the page; a block that no machine is named for is refused, so that none is left out."""
    text = page.read_text()
    blocks = list(_BLOCK.finditer(text))
    assert len(blocks) == len(_ANY.findall(text)), f"{page.name}: a block without its machine"
    found, number = [], 0
    for block in blocks:
        section = re.findall(r"^## (.*)$", text[:block.start()], re.M)[-1]
        commands = commands_in(block["body"])
        for machine in block["machines"].split():
            found += [Typed(machine, command, number + i + 1, section)
                      for i, command in enumerate(commands)]
        number += len(commands)
    return found
