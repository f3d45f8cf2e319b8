#!/usr/bin/python3
"""Counts what makes the programs easy or hard to change, in the tree or in a commit: tests/tidy/counts.py
[--commit COMMIT]... Rows are written with tabs, a column for each tree."""
import argparse
import re
import subprocess
import sys
import tarfile
from collections import Counter
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import classes_test

ROOT = Path(__file__).resolve().parents[2]
# A branch, or a value, that asks of a slot group whether it is a lease's or a plan's.
LEASE_OR_PLAN = re.compile(r"resource_group *[!=]= *kNoIndex|\bof_plan\(|\.of_plan\b")
NAMES_MOST = 15  # of a room: a folder, by the names of its files without their endings
# A name to learn: a type, or a function outside of classes, that a header declares.
NAME_TO_LEARN = re.compile(r"^(?:enum class|struct|class) (?P<type>\w+)\b[^;]*\{$"
                           r"|^(?:\[\[\w+\]\] )?\w[\w:<>,*& ]*[ *&](?P<function>(?!alignas)\w+)\(", re.M)


def tree_of(folder: Path) -> classes_test.Tree:
    paths = [path for top in ("agent", "broker", "common") for path in sorted((folder / top).rglob("*.?pp"))]
    return {str(path.relative_to(folder)): path.read_text() for path in paths if path.is_file()}


def at(commit: str) -> classes_test.Tree:
    archive = subprocess.run(["git", "archive", commit, "agent", "broker", "common"], cwd=ROOT, check=True,
                             capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as tar:
        return {each.name: tar.extractfile(each).read().decode() for each in tar
                if each.isfile() and each.name.endswith((".cpp", ".hpp"))}


def names_by_room(tree: classes_test.Tree) -> Counter:
    return Counter(room for room, _ in {(str(Path(path).parent), Path(path).stem) for path in tree})


def names_to_learn(header: str) -> set[str]:
    return {found["type"] or found["function"] for found in NAME_TO_LEARN.finditer(header)}


def sizes(tree: classes_test.Tree) -> dict[str, int]:
    """Of each program's rooms (broker/core with all its folders): lines, files, words and names to learn."""
    found: Counter = Counter()
    names: dict[str, set[str]] = {}
    for path, text in tree.items():
        room = "/".join(path.split("/")[:-1][:2])
        found.update({f"{room} lines": text.count("\n"), f"{room} files": 1, f"{room} words": len(text.split())})
        names.setdefault(room, set()).update(names_to_learn(text) if path.endswith(".hpp") else set())
    found.update({f"{room} names to learn": len(each) for room, each in names.items()})
    return dict(sorted(found.items()))


def counts(tree: classes_test.Tree) -> dict[str, int]:
    asked = [sum(bool(LEASE_OR_PLAN.search(line)) for line in text.splitlines()) for text in tree.values()]
    found = {"files": len(tree), "lines": sum(text.count("\n") for text in tree.values()),
             "words": sum(len(text.split()) for text in tree.values()),
             "lines that ask 'lease or plan?'": sum(asked), "files that ask it": sum(map(bool, asked))}
    rooms = names_by_room(tree)
    crowded = {room: number for room, number in rooms.items() if number > NAMES_MOST}
    found |= {"rooms": len(rooms), f"rooms of more than {NAMES_MOST} names": len(crowded)}
    large = classes_test.measures(tree)
    for what, most in ("members", classes_test.MEMBERS_MAX), ("files", classes_test.FILES_MAX):
        found[f"classes of more than {most} {what}"] = sum(name.endswith(f" {what}") for name in large)
    found |= {f"names in {room}": number for room, number in sorted(crowded.items())}
    return found | {name.split(":")[1]: number for name, number in sorted(large.items())} | sizes(tree)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--commit", action="append", default=[])
    asked = words.parse_args()
    columns = [counts(at(commit)) for commit in asked.commit] or [counts(tree_of(ROOT))]
    print("\t".join(["what", *(asked.commit or ["tree"])]))
    for what in dict.fromkeys(name for column in columns for name in column):
        print("\t".join([what, *[str(column.get(what, "-")) for column in columns]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
