"""Doors: which folder may include which, no circle among files, no flat lists of prefixed names.

Run: python3 -B tests/tidy/doors_test.py. The table below is the order of the rooms: what stands in
a row may be included by the row's folder, besides itself and value types of common. An include of
what stands in no row is refused. Includes are written from the root of the tree, so that this scan,
not the compiler, enforces them. What still stands in the way is in allowed_doors.txt, which may
only shrink.
"""
import os
import re
import sys
import unittest
from typing import Iterable, NamedTuple

sys.path.insert(0, os.path.dirname(__file__))
import style_test

Tree = dict[str, str]  # path from the root: text
ALLOWED = "tests/tidy/allowed_doors.txt"
STEMS_OF_ONE_PREFIX = 3

# Folder: what it may include besides itself. The longest folder that a path begins with counts.
VALUES = ("common",)  # what has no effect; the pure folders' own scan is tests/unit/purity
MODEL = ("broker/core/model/containers", "broker/core/model/slots", "broker/core/model",
         "broker/core/model/queries", "broker/core/model/turn")
DECISIONS = ("broker/core/ledger", "broker/core/exports", "broker/core/converge", "broker/core/plan",
             "broker/core/lease", "broker/core/agents")
CORE = MODEL + DECISIONS
PLAN = ("broker/rules/plan", "broker/rules/plan/demand", "broker/rules/plan/division", "broker/rules/plan/hosts",
        "broker/rules/plan/moves")
RULES = ("broker/rules", "broker/rules/select", "broker/rules/demand_aware") + PLAN
RECORD = ("broker/record", "broker/record/images")
CONFIG = ("broker/config", "broker/config/keys", "broker/config/read", "broker/config/check",
          "broker/config/plan", "broker/config/lsf", "broker/config/ego")
VIEWS = ("broker/views", "broker/views/tables", "broker/views/plan", "broker/views/explain",
         "broker/views/attention", "broker/views/lists", "broker/views/forecast", "broker/views/request",
         "broker/views/settings", "broker/views/leases", "broker/views/clusters")
STORE = ("broker/store", "broker/store/log")
SIMULATE = ("broker/lab/simulate", "broker/lab/simulate/scenario", "broker/lab/simulate/outcome")
CTL = ("broker/ctl/command_line", "broker/ctl/client", "broker/ctl", "broker/ctl/output")
DAEMON = ("broker/daemon", "broker/daemon/aside", "broker/daemon/leadership", "broker/daemon/start")
HTTP = ("broker/ports/http/request", "broker/ports/http/embedded", "broker/ports/http/answers", "broker/ports/http")
PORTS = ("broker/ports", "broker/ports/agents", "broker/ports/agents/limits",
         "broker/ports/agents/statements", "broker/ports/operators") + HTTP
ADAPTER_ROOMS = {os.path.dirname(path) for path in style_test.ending(".hpp")
                 if re.match(r"agent/workload/(?!support/|conformance/)\w+/", path)}
ADAPTERS = tuple(sorted({"/".join(room.split("/")[:3]) for room in ADAPTER_ROOMS}))
AGENT_CORE = ("agent/core", "agent/core/demand", "agent/core/limits", "agent/core/work", "agent/core/reclaim",
              "agent/core/preemption", "agent/core/usage")
AGENT_IO = ("agent/io", "agent/io/agent", "agent/io/agent/known", "agent/io/broker", "agent/io/by_hand",
            "agent/io/metrics", "agent/io/settings", "agent/io/state")
DOORS: dict[str, tuple[str, ...]] = {
    "common": (),
    "common/text": VALUES,
    "common/time": VALUES,
    "common/files": VALUES,
    "common/config": VALUES,
    "common/config/keys": VALUES + ("common/config",),
    "common/channel": VALUES,
    "common/jobs": VALUES,
    "common/wire": VALUES,
    "common/metrics": VALUES,
    "broker/rules/select": VALUES,
    "broker/rules": VALUES + ("broker/rules/select", "broker/rules/demand_aware"),
    "broker/rules/plan": VALUES + ("broker/rules", "broker/rules/select"),
    "broker/rules/demand_aware": VALUES,
    "broker/core/model/containers": VALUES,
    "broker/core/model/slots": MODEL[:1] + RULES,
    "broker/core/model": MODEL[:2] + RULES,
    "broker/core/model/queries": MODEL[:3] + RULES,
    "broker/core/model/turn": MODEL[:4] + RULES,
    "broker/core/ledger": MODEL + RULES,
    "broker/core/exports": MODEL + DECISIONS[:1] + RULES,
    "broker/core/converge": MODEL + DECISIONS[:2] + RULES,
    "broker/core/plan": MODEL + DECISIONS[:3] + RULES,
    "broker/core/lease": MODEL + DECISIONS[:4] + RULES,
    "broker/core/agents": MODEL + DECISIONS[:5] + RULES,
    "broker/core": CORE + RULES,
    "broker/record": MODEL,
    "broker/store": MODEL + STORE + RECORD + ("broker/store/sqlite", "broker/store/postgres"),
    "broker/store/postgres": MODEL + STORE + RECORD,
    "broker/store/log": MODEL + RECORD,
    "broker/store/sqlite": MODEL + STORE + RECORD,
    "broker/follow": MODEL + RECORD + ("broker/store/sqlite",) + STORE,
    "broker/views": CORE + RULES + ("broker/core",) + CONFIG[:2] + VIEWS,
    "broker/config": MODEL + RULES + CONFIG,
    "broker/metrics": MODEL + VIEWS,
    "broker/ports": CORE + ("broker/core", "broker/config/plan", "broker/metrics") + CONFIG[:2] + VIEWS
                    + PORTS,
    "broker/replay": CORE + RECORD + ("broker/core",) + STORE + VIEWS,
    "broker/lab": MODEL + ("broker/core", "broker/config") + STORE[:1],
    "broker/lab/simulate": CORE + STORE[:1] + CONFIG
                           + ("broker/core", "agent/core/demand", "broker/lab", "broker/lab/chart"),
    "broker/lab/chart": VALUES,
    "broker/lab/what_if": CORE + RECORD + STORE + VIEWS + CONFIG
                      + ("broker/core", "broker/replay", "broker/lab", "broker/lab/chart",
                         "broker/rules/demand_aware", "agent/core/demand"),
    "broker/ctl/command_line": VIEWS + SIMULATE + ("broker/config", "broker/lab/what_if"),
    "broker/ctl/client": VIEWS + CTL[:1],
    "broker/ctl": VIEWS + CTL[:2] + ("broker/replay",),
    "broker/ctl/output": VIEWS + CTL[:3],
    "broker/ctl/requests": VIEWS + CTL + ("broker/replay",),
    "broker/ctl/history": VIEWS + CTL + ("broker/follow", "broker/replay", "broker/lab/what_if"),
    "broker/ctl/files": VIEWS + CTL + CONFIG + SIMULATE,
    "broker/ctl/plan": VIEWS + CTL + CONFIG + RULES,
    "broker/ctl/watch": VIEWS + CTL,
    "broker/ctl/completion": MODEL + CTL,
    "broker/daemon": CORE + RULES + VIEWS + CONFIG + STORE + ("broker/store/sqlite", "broker/store/postgres") + PORTS
                     + RECORD + ("broker/core", "broker/follow", "broker/replay",
                        "broker/metrics"),
    "agent/core/demand": VALUES,
    "agent/core/limits": VALUES + ("agent/core/demand",),
    "agent/core/work": ("agent/core/limits",),
    "agent/core/reclaim": ("agent/core/limits", "agent/core/work"),
    "agent/core/preemption": ("agent/core/reclaim", "agent/core/work"),
    "agent/core/usage": ("agent/core/limits", "agent/core/work"),
    "agent/core": AGENT_CORE,
    "agent/workload/support": AGENT_CORE,
    "agent/workload": AGENT_CORE + ADAPTERS + ("agent/workload/support",),
    "agent/io": AGENT_CORE + AGENT_IO + ("agent/workload", "agent/workload/support"),
    "agent/io/agent": AGENT_CORE + ("agent/workload", "agent/io", "agent/io/agent/known", "agent/io/broker",
                                    "agent/io/metrics", "agent/io/state"),
    "agent/io/agent/known": AGENT_CORE + ("agent/workload", "agent/io", "agent/io/state"),
    "agent/io/broker": ("agent/io/settings",),
    "agent/io/by_hand": AGENT_CORE + ("agent/workload", "agent/workload/support", "agent/io/agent",
                                      "agent/io/settings", "agent/io/state"),
    "agent/io/metrics": VALUES,
    "agent/io/settings": AGENT_CORE + ("agent/workload", "agent/workload/support", "agent/io/agent"),
    "agent/io/state": AGENT_CORE + ("agent/workload/support",),
    "agent/workload/conformance": AGENT_CORE + ("agent/workload", "agent/workload/command",
                                                "agent/workload/support"),
    "agent": AGENT_IO + ("agent/workload/conformance",),
}
for _rooms in (PLAN, RECORD, VIEWS, CONFIG, PORTS, SIMULATE, DAEMON):
    for _room in _rooms:
        DOORS[_room] = DOORS[_rooms[0]] + _rooms
DOORS["broker/rules/plan/demand"] += ("broker/rules/demand_aware",)
DOORS["broker/ports/http/request"] = VIEWS + ("broker/ports", "broker/ports/operators")
DOORS["broker/ports/http/embedded"] = VALUES
DOORS["broker/ports/http/answers"] = (MODEL + VIEWS + HTTP[:2]
                                      + ("broker/metrics", "broker/ports", "broker/ports/operators"))
DOORS["broker/config/keys"] = MODEL + RULES + CONFIG[:1]
for _room in ADAPTER_ROOMS:
    _adapter = tuple(sorted(room for room in ADAPTER_ROOMS if room.split("/")[2] == _room.split("/")[2]))
    DOORS[_room] = AGENT_CORE + ("agent/workload", "agent/workload/support") + _adapter

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


class Include(NamedTuple):
    by: str
    of: str


def product(tree: Iterable[str]) -> list[str]:
    return [path for path in sources(tree) if not path.startswith("tests/")]


def sources(tree: Iterable[str]) -> list[str]:
    return [path for path in tree if path.startswith(("broker/", "agent/", "common/", "tests/"))
            and path.endswith((".cpp", ".hpp"))]


def includes(tree: Tree) -> list[Include]:
    return [Include(path, of) for path in product(tree) for of in INCLUDE.findall(tree[path])]


TYPE = re.compile(r"^(?:class|struct|enum class) (\w+)(?: final)?(?: :[^;{]*)? ?{", re.M)
NAMESPACE = re.compile(r"^namespace ([\w:]+) {", re.M)


def names_twice(tree: Tree) -> list[str]:
    """Types of one name in one namespace, of two headers: a program that has both takes the inline
    functions of either for both (a broker whose door was an enum let nobody in)."""
    where: dict[str, set[str]] = {}
    for path in product(tree):
        if not path.endswith(".hpp"):
            continue
        for found in TYPE.finditer(tree[path]):
            spaces = NAMESPACE.findall(tree[path], 0, found.start())
            where.setdefault("::".join([*spaces[-1:], found[1]]), set()).add(path)
    return [f"{name}: {', '.join(sorted(paths))}" for name, paths in sorted(where.items())
            if len(paths) > 1]


def stem(path: str) -> str:
    return path.rsplit(".", 1)[0]


def closed_doors(tree: Tree) -> list[str]:
    """Includes that the table does not open, as "file -> file"."""
    found = []
    for by, of in includes(tree):
        room, asked = os.path.dirname(by), os.path.dirname(of)
        if room not in DOORS:
            found.append(f"{room}: no row says what it may include")
        elif asked not in (room, *DOORS[room]) and asked not in COMMON_ROOMS:
            found.append(f"{by} -> {of}")
    return sorted(set(found))


COMMON_ROOMS = ("common", "common/config", "common/config/keys", "common/channel",
                "common/jobs", "common/wire", "common/metrics", "common/text", "common/time", "common/files")


def circles(tree: Tree) -> list[str]:
    """Stems (a .cpp with its .hpp is one) that include each other, directly or around."""
    graph: dict[str, set[str]] = {}
    for by, of in includes(tree):
        if stem(by) != stem(of):
            graph.setdefault(stem(by), set()).add(stem(of))
    order, low, on_stack = {}, {}, []
    found = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        on_stack.append(node)
        for after in sorted(graph.get(node, ())):
            if after not in order:
                visit(after)
                low[node] = min(low[node], low[after])
            elif after in on_stack:
                low[node] = min(low[node], order[after])
        if low[node] == order[node]:
            circle = on_stack[on_stack.index(node):]
            del on_stack[on_stack.index(node):]
            if len(circle) > 1:
                found.append("circle: " + ", ".join(sorted(circle)))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def prefix_lists(tree: Tree) -> list[str]:
    """Folders with more than STEMS_OF_ONE_PREFIX stems of one prefix: a room of its own."""
    stems: dict[tuple[str, str], set[str]] = {}
    for path in sources(tree):
        folder, name = os.path.split(stem(path))
        stems.setdefault((folder, name.split("_")[0]), set()).add(name)
    return [f"{folder}: {len(names)} of prefix {prefix}" for (folder, prefix), names in
            sorted(stems.items()) if len(names) > STEMS_OF_ONE_PREFIX]


def faults(tree: Tree) -> list[str]:
    return closed_doors(tree) + circles(tree) + prefix_lists(tree)


class TheTree(unittest.TestCase):
    maxDiff = None

    def test_no_two_types_of_one_namespace_have_the_same_name(self) -> None:
        tree = {path: style_test.text(path) for path in sources(style_test.tracked())}
        self.assertEqual(names_twice(tree), [])

    def test_doors_circles_and_lists(self) -> None:
        tree = {path: style_test.text(path) for path in sources(style_test.tracked())}
        allowed = [line for line in style_test.text(ALLOWED).splitlines()
                   if line and not line.startswith("#")]
        found = faults(tree)
        self.assertEqual([fault for fault in found if fault not in allowed], [])
        self.assertEqual([line for line in allowed if line not in found], [],
                         f"no longer needed in {ALLOWED}")


class WhatIsFound(unittest.TestCase):
    def test_a_closed_door(self) -> None:
        self.assertEqual(faults({"broker/core/model/a.hpp": '#include "broker/core/ledger/b.hpp"\n'}),
                         ["broker/core/model/a.hpp -> broker/core/ledger/b.hpp"])

    def test_an_adapter_that_includes_another(self) -> None:
        tree = {"agent/workload/lsf/a.cpp": '#include "agent/workload/slurm/b.hpp"\n'}
        self.assertEqual(faults(tree), ["agent/workload/lsf/a.cpp -> agent/workload/slurm/b.hpp"])

    def test_a_room_without_a_row(self) -> None:
        tree = {"broker/attic/a.cpp": '#include "common/result.hpp"\n'}
        self.assertEqual(faults(tree), ["broker/attic: no row says what it may include"])

    def test_a_circle_by_way_of_a_cpp(self) -> None:
        tree = {"common/a.cpp": '#include "common/b.hpp"\n', "common/a.hpp": "",
                "common/b.hpp": ' # include "common/c.hpp"\n',
                "common/c.hpp": '#include "common/a.hpp"\n'}
        self.assertEqual(faults(tree), ["circle: common/a, common/b, common/c"])

    def test_a_list_of_one_prefix(self) -> None:
        tree = {f"common/clock_{part}.hpp": "" for part in "abcd"}
        self.assertEqual(faults(tree), ["common: 4 of prefix clock"])
        self.assertEqual(faults({f"tests/unit/core/plan_{part}_test.cpp": "" for part in "abcd"}),
                         ["tests/unit/core: 4 of prefix plan"])
        self.assertEqual(faults({path: "" for path in list(tree)[1:]}), [])

    def test_what_is_open_is_no_fault(self) -> None:
        tree = {"broker/core/ledger/a.cpp": '#include "broker/core/model/b.hpp"\n'
                                            '#include "common/check.hpp"\n'
                                            '#include <vector>\n'}
        self.assertEqual(faults(tree), [])


if __name__ == "__main__":
    unittest.main()
