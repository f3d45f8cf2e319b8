"""Metrics, alert rules, their runbook and the dashboard go together.

Run: python3 -B tests/tidy/metrics_test.py. What the tables of metrics hold is held by schema/METRICS.md
and schema/AGENT_METRICS.md, which unit tests compare. Where promtool is installed
(scripts/install-packages metrics) it judges rules, example and cases too.
"""
import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/integration"), str(ROOT / "broker/guide")]
import make_site  # noqa: E402
import skipped  # noqa: E402

FOLDER = ROOT / "config/prometheus"
RUNBOOK = "config/prometheus/RUNBOOK.md"
GUIDE = "broker/guide/when-things-go-wrong.md"
METRIC = re.compile(r"\bleasehold_[a-z_]+")
ENDS = ("_bucket", "_sum", "_count")


def known_metrics() -> dict[str, set[str]]:
    """Name to labels, of broker and agents."""
    known = {}
    for page in ("schema/METRICS.md", "schema/AGENT_METRICS.md"):
        text = (ROOT / page).read_text()
        for name, kind, labels in re.findall(r"^\| `(\w+)` \| (\w+) \| \w* \| ([^|]*) \|", text,
                                             re.MULTILINE):
            own = set(re.findall(r"`(\w+)`", labels))
            for end in ENDS if kind == "histogram" else ("",):
                known[name + end] = own | ({"le"} if end == "_bucket" else set())
    return known


def rules(text: str) -> dict[str, str]:
    """Alert to expression."""
    return dict(re.findall(r"- alert: (\w+)\n\s+expr: (.+)\n", text))


def expressions(node) -> list[str]:
    """All of a dashboard: of its panels and of its variables."""
    if isinstance(node, dict):
        found = [node["expr"]] if "expr" in node else []
        if isinstance(node.get("query"), str) and METRIC.search(node["query"]):
            found.append(node["query"])
        return found + [each for value in node.values() for each in expressions(value)]
    if isinstance(node, list):
        return [each for value in node for each in expressions(value)]
    return []


def unknown_names(found: list[str], known: dict[str, set[str]]) -> list[str]:
    return sorted({name for each in found for name in METRIC.findall(each) if name not in known})


def unknown_labels(found: list[str], known: dict[str, set[str]]) -> list[str]:
    """Labels that a selector asks for and the metric has not."""
    return sorted({f"{name}: {label}" for each in found
                   for name, inside in re.findall(r"\b(leasehold_[a-z_]+)\{([^}]*)\}", each)
                   for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", inside)
                   if label not in known.get(name, {label})})


def without_entry(alerts: dict[str, str], runbook: str) -> list[str]:
    """Alerts whose entry does not say what it means, what to look at and what to do, nor which entry
    of the guide does."""
    entries = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", runbook, re.MULTILINE | re.DOTALL))
    lacking = [name for name in alerts if GUIDE not in entries.get(name, "") and not all(
        f"**{word}:**" in entries.get(name, "") for word in ("Means", "Look at", "Do"))]
    return lacking + [f"{name}: no rule" for name in entries if name not in alerts]


class TheFolder(unittest.TestCase):
    def setUp(self) -> None:
        self.known = known_metrics()
        self.alerts = rules((FOLDER / "alerts.yml").read_text())
        self.dashboard = expressions(json.loads((FOLDER / "dashboard.json").read_text()))

    def test_rules_and_dashboard_name_only_metrics_that_there_are(self) -> None:
        self.assertGreater(len(self.known), 50)
        self.assertGreater(len(self.alerts), 15)
        self.assertGreater(len(self.dashboard), 30)
        for found in (list(self.alerts.values()), self.dashboard):
            self.assertEqual(unknown_names(found, self.known), [])
            self.assertEqual(unknown_labels(found, self.known), [])

    def test_each_rule_has_its_entry_in_the_runbook_and_its_case(self) -> None:
        self.assertEqual(without_entry(self.alerts, (ROOT / RUNBOOK).read_text()), [])
        cases = re.findall(r"alertname: (\w+)\n\s+exp_alerts", (FOLDER / "alerts_test.yml").read_text())
        self.assertEqual(sorted(cases), sorted(self.alerts))

    def test_cited_headings_are_the_rules_own(self) -> None:
        text = (FOLDER / "alerts.yml").read_text()
        cited = re.findall(r'alert: (\w+)\n.*?runbook: /docs/([\w-]+\.html)#(\w+) ', text, re.DOTALL)
        page = make_site.file_of(ROOT / RUNBOOK)
        self.assertEqual(cited, [(name, page, name.lower()) for name in self.alerts])

    def test_promtool_finds_nothing(self) -> None:
        if shutil.which("promtool") is None:
            self.skipTest("promtool is not installed: scripts/install-packages metrics")
        for words in (["check", "rules", "alerts.yml"], ["check", "config", "prometheus.yml"],
                      ["test", "rules", "alerts_test.yml"]):
            with self.subTest(words):
                said = subprocess.run(["promtool", *words], cwd=FOLDER, text=True,
                                      capture_output=True, check=False)
                self.assertEqual(said.returncode, 0, said.stdout + said.stderr)


class WhatIsFound(unittest.TestCase):
    KNOWN = {"leasehold_slots": {"cluster"}}

    def test_a_metric_that_is_not_there(self) -> None:
        self.assertEqual(unknown_names(["sum(leasehold_slot) > leasehold_slots"], self.KNOWN),
                         ["leasehold_slot"])

    def test_a_label_that_it_has_not(self) -> None:
        found = ['leasehold_slots{cluster=~"a|b", user!="x"} > 0']
        self.assertEqual(unknown_labels(found, self.KNOWN), ["leasehold_slots: user"])

    def test_an_alert_without_entry_and_an_entry_without_alert(self) -> None:
        runbook = "# R\n\n## A\n\n**Means:** x\n\n**Look at:** y\n\n**Do:** z\n\n## B\n\n**Means:** x\n"
        self.assertEqual(without_entry({"A": "", "C": ""}, runbook), ["C", "B: no rule"])


if __name__ == "__main__":
    skipped.main()
