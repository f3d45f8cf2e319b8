"""Every command in the guide is run, and answers what the guide prints.

Blocks marked as in README.md (readme_test.py) do what they say; a ```console block holds commands, each
after "$ ", and below it what it prints. guide_test.py --write writes the answers anew. Those of a real day
are held against another one by operators_day_test.py.
"""
import re
import sys
import unittest
from pathlib import Path

import side_by_side
from processes import ROOT, run
from readme_test import BLOCK, CHECKED_KINDS, Reader

GUIDE = ROOT / "broker/guide"
CONSOLE = re.compile(r"(?<!<!-- of a real day -->\n)```console\n(.*?)```", re.DOTALL)
POLICY = re.compile(r"^\[\[export_policy\]\]\n((?:[^`\[\n].*\n)+)", re.M)
MAY_FAIL = (0, 1)  # 1: attention finds something


def pages() -> list[Path]:
    """All but those that have no answers, which readme_test.py and beside_test.py run, and that of what
    goes wrong, which wrong_test.py lets go wrong."""
    return sorted(page for page in GUIDE.glob("*.md") if CONSOLE.search(page.read_text())
                  and page != ROOT / "broker/guide/when-things-go-wrong.md")


def answered(reader: Reader, block: str) -> str:
    """The block with what its commands print now."""
    text = []
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        done = run("sh", "-eu", "-c", line[2:], cwd=reader.path, env=reader.environment)
        assert done.returncode in MAY_FAIL and not done.stderr, f"{line}: {done.stderr}"
        rows = [row.rstrip() for row in done.stdout.rstrip().splitlines()]
        text += ["" if text else None, line, *rows]
    return "\n".join(row for row in text if row is not None) + "\n"


def page_as_it_answers(page: Path) -> str:
    reader = Reader()
    try:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            if block["kind"] in CHECKED_KINDS:
                getattr(reader, block["verb"])(block["rest"] or "", block["body"])
        return CONSOLE.sub(lambda block: f"```console\n{answered(reader, block[1])}```", text)
    finally:
        reader.close()


class Guide(unittest.TestCase):
    maxDiff = None

    def test_each_answer_is_what_its_command_prints(self) -> None:
        commands = 0
        for page in pages():
            with self.subTest(page.name):
                self.assertEqual(page_as_it_answers(page), page.read_text())
                commands += len(re.findall(r"^\$ ", page.read_text(), re.M))
        self.assertGreater(commands, 8)

    def test_shared_policies_that_it_shows_name_their_rule(self) -> None:
        policies = [(page.name, policy) for page in [ROOT / "README.md", *GUIDE.glob("*.md")]
                    for policy in POLICY.findall(page.read_text())
                    if re.search(r'^hosts .*^type += "shared"', policy, re.M | re.S)]
        self.assertGreater(len(policies), 2)
        for page, policy in policies:
            self.assertRegex(policy, r"\nrule +=", page)

    def test_paths_that_it_names_are_there(self) -> None:
        for page in GUIDE.glob("*.md"):
            for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")


if __name__ == "__main__":
    if "--write" in sys.argv:
        for each in pages():
            each.write_text(page_as_it_answers(each))
    else:
        side_by_side.main()
