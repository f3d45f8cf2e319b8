#!/usr/bin/env python3
"""compare_plan.py LEASECTL: draws random resource plans and states, computes them with plan.py and
with `leasectl plan --json`, and demands the same numbers and the same moves in the same order.
--count N plans (400), --seed S (1), --only hybrid|ownership|share-ratio|mixed, --long: 2,000 of each
kind; --keep FOLDER: the files of the first plan that differs."""
import argparse
import json
import random
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import plan

BATCH = 40  # groups in one configuration file
LONG = 2000
KINDS = ["hybrid", "ownership", "share-ratio", "mixed"]
ZONES = ["UTC", "Europe/Berlin", "America/St_Johns"]
OWNERSHIP, HYBRID, SHARE_RATIO = "ownership", "hybrid", "share-ratio"
KNOWN_KEYS = {"owned": (OWNERSHIP, HYBRID), "reserved": (HYBRID,),
              "share_ratio": (OWNERSHIP, SHARE_RATIO), "share_limit": (OWNERSHIP, SHARE_RATIO)} | {
                  key: (OWNERSHIP,)
                  for key in ("lend_limit", "lend_to", "borrow_limit", "borrow_from")}
KNOWN_SWITCHES = {"reclaim_before_borrow": (OWNERSHIP,), "siblings_only": (OWNERSHIP,),
                  "reclaim_shared": (OWNERSHIP, SHARE_RATIO), "share_enforcement": (SHARE_RATIO,),
                  "evenly_distribute": (HYBRID,), "disable_reclaim_hybrid_own": (HYBRID,)}


def maybe(rng, chance, value):
    return value() if rng.random() < chance else None


class Draw:
    """One random group: legal, small, and near all its limits."""

    def __init__(self, rng, name, only):
        self.rng, self.name = rng, name
        kind = only or rng.choice(KINDS)
        self.group = {"name": name, "policy": kind if kind != "mixed" else
                      rng.choice(["hybrid", "ownership"])}
        self.kind = kind
        self.big = rng.choice([6, 20, 20, 60, 1000])
        self.consumers, self.leaves = [], []
        self.switches = rng.random() < 0.7
        for branch in range(rng.randint(1, 4)):
            self.branch_policy = self.group["policy"]
            if kind == "mixed":
                self.branch_policy = rng.choice(["hybrid", "ownership"])
            self.grow(f"/{name}-{chr(65 + branch)}", 1, rng.choice([1, 1, 2, 2, 3, 4]))
        if kind == "mixed":
            tops = [c for c in self.consumers if c["path"].count("/") == 1]
            if len(tops) > 1:
                tops[0]["policy"] = "hybrid"
                tops[-1]["policy"] = "ownership"
        self.settings()
        self.balance()
        self.lists()
        self.windows()
        self.only_what_is_known()
        self.state = self.draw_state()

    def grow(self, path, level, depth):
        consumer = self.consumer(path)
        self.consumers.append(consumer)
        if level == 1 and self.kind == "mixed":
            consumer["policy"] = self.branch_policy
        if level < depth and self.rng.random() < 0.85:
            for i in range(self.rng.randint(1, 4)):
                self.grow(f"{path}/{chr(97 + i)}", level + 1, depth)
        else:
            self.leaves.append(consumer)

    def consumer(self, path):
        rng, big = self.rng, self.big
        number = lambda: rng.randint(0, big)
        return {"path": path,
                "rank": maybe(rng, 0.4, lambda: rng.randint(0, 3)),
                "owned": maybe(rng, 0.7, number),
                "reserved": maybe(rng, 0.3, lambda: rng.randint(0, big // 2)),
                "limit": maybe(rng, 0.25, number),
                "share_ratio": maybe(rng, 0.4, lambda: rng.choice([0, 1, 1, 2, 3, 7])),
                "share_limit": maybe(rng, 0.2, number),
                "reclaim_grace_ms": rng.choice([0, 0, 1000, 30000]),
                "rebalance": None if rng.random() < 0.85 else False}

    def settings(self):
        rng, group = self.rng, self.group
        flags = ["disable_reclaim_hybrid_own", "use_ancestor_grace_period", "siblings_only",
                 "reclaim_before_borrow"]
        if self.kind == "hybrid":
            flags.append("evenly_distribute")
        if self.switches:
            for flag in flags:
                if rng.random() < 0.3:
                    group[flag] = True
            if rng.random() < 0.25:
                group["reclaim_shared"] = False
            if self.kind == "share-ratio" and rng.random() < 0.4:
                group["share_enforcement"] = "parent"
            if rng.random() < 0.2:
                group["default_rank"] = rng.randint(0, 2)
        if rng.random() < 0.75:
            group["slots"] = rng.randint(1, 3 * self.big)

    def balance(self):
        """Parents name as much as their children have, and now and then more."""
        for consumer in reversed(self.consumers):
            kids = [c for c in self.consumers
                    if c["path"].rsplit("/", 1)[0] == consumer["path"]]
            if not kids:
                continue
            for key in ("owned", "reserved"):
                below = sum(c.get("sum " + key, c[key] or 0) for c in kids)
                if consumer[key] is not None:
                    consumer[key] = below + self.rng.choice([0, 0, consumer[key]])
                consumer["sum " + key] = below if consumer[key] is None else consumer[key]

    def lists(self):
        rng, paths = self.rng, [c["path"] for c in self.consumers]
        some = lambda: rng.sample(paths, rng.randint(1, min(3, len(paths))))
        names = lambda: some() if rng.random() < 0.5 else ["*"]
        for leaf in self.leaves:
            leaf["lend_limit"] = maybe(rng, 0.6, lambda: rng.randint(0, self.big))
            leaf["lend_to"] = maybe(rng, 0.25, names)
            leaf["borrow_limit"] = maybe(rng, 0.4, lambda: rng.randint(0, self.big))
            leaf["borrow_from"] = maybe(rng, 0.5, names)

    def windows(self):
        """Numbers for part of the day; owned and reserved only lower, so that parents balance."""
        rng = self.rng
        if rng.random() < 0.6:
            return
        self.group["timezone"] = rng.choice(ZONES)
        for consumer in self.consumers:
            if rng.random() < 0.5:
                continue
            begin, end = rng.sample(range(0, 1440, 30), 2)
            window = {"from": f"{begin // 60:02}:{begin % 60:02}",
                      "to": f"{end // 60:02}:{end % 60:02}"}
            for key in ("rank", "limit", "lend_limit", "borrow_limit", "share_ratio", "share_limit"):
                is_parent = consumer not in self.leaves
                if key == "lend_limit" and is_parent or rng.random() < 0.7:
                    continue
                window[key] = rng.randint(0, 3 if key in ("rank", "share_ratio") else self.big)
            for key in ("owned", "reserved") if consumer in self.leaves else ():
                if rng.random() < 0.3:
                    window[key] = rng.randint(0, consumer.get(key) or 0)
            if self.kind == "mixed" and consumer["path"].count("/") == 1 and rng.random() < 0.5:
                window["policy"] = rng.choice([HYBRID, OWNERSHIP])
            consumer["window"] = window

    def only_what_is_known(self):
        """Keys and switches of the policies that the branch and the group have, at some time; a
        branch whose policy changes has no other numbers in windows."""
        branches = {}
        for c in self.consumers:
            top = "/" + c["path"].split("/")[1]
            if c["path"] == top:
                branches[top] = {c.get("policy") or self.group["policy"]}
                branches[top] |= {c["window"]["policy"]} & {HYBRID, OWNERSHIP} \
                    if "policy" in c.get("window", {}) else set()
            has = branches[top]
            for key, policies in KNOWN_KEYS.items():
                if not has & set(policies):
                    c.pop(key, None)
                if len(has) > 1 or not has & set(policies):
                    c.get("window", {}).pop(key, None)
        everywhere = set().union(*branches.values())
        for key, policies in KNOWN_SWITCHES.items():
            if not everywhere & set(policies):
                self.group.pop(key, None)
        if OWNERSHIP in everywhere:
            self.group.pop("evenly_distribute", None)

    def draw_state(self):
        rng = self.rng
        owned = sum(c.get("owned") or 0 for c in self.leaves)
        slots = rng.choice([self.group.get("slots"), rng.randint(0, 3 * self.big), owned,
                            owned + rng.randint(0, self.big), max(0, owned - rng.randint(0, 9))])
        if slots is None:
            slots = rng.randint(0, 3 * self.big)
        left = slots + (rng.randint(0, self.big) if rng.random() < 0.15 else 0)
        consumers = {}
        shuffled = rng.sample(self.leaves, len(self.leaves))
        for leaf in shuffled:
            held = min(left, rng.choice([0, rng.randint(0, self.big), rng.randint(0, 2 * self.big)]))
            left -= held
            demand = rng.choice([held, held + rng.randint(0, self.big), 2 * self.big,
                                 rng.randint(0, 2 * self.big)])
            if rng.random() < 0.9:
                consumers[leaf["path"]] = {"demand": demand, "allocated": held}
        for leaf in self.leaves:
            if rng.random() < 0.3 and leaf["path"] in consumers:
                self.state_kinds(consumers[leaf["path"]], leaf)
        return {"slots": slots, "consumers": consumers}

    def state_kinds(self, state, leaf):
        rng, left = self.rng, state["allocated"]
        if rng.random() < 0.7:
            state["shared"] = rng.randint(0, left)
            left -= state["shared"]
        others = [c["path"] for c in self.leaves if c is not leaf]
        if others and rng.random() < 0.7:
            state["borrowed"] = {}
            for path in rng.sample(others, rng.randint(1, min(2, len(others)))):
                state["borrowed"][path] = rng.randint(0, left)
                left -= state["borrowed"][path]


def toml_value(value):
    return json.dumps(value)


def toml(draws):
    text = []
    for draw in draws:
        text.append("[[resource_group]]")
        text += [f"{k} = {toml_value(v)}" for k, v in draw.group.items()]
        for consumer in draw.consumers:
            text += ["[[consumer]]", f'group = "{draw.name}"']
            for key, value in consumer.items():
                if key == "window":
                    continue
                if key == "reclaim_grace_ms":
                    text.append(f'reclaim_grace = "{value}ms"')
                elif value is not None and not key.startswith("sum "):
                    text.append(f"{key} = {toml_value(value)}")
            if "window" in consumer:
                text.append("[[consumer.window]]")
                text += [f"{k} = {toml_value(v)}" for k, v in consumer["window"].items()]
    return "\n".join(text) + "\n"


def draw_time(rng):
    """None: no window holds."""
    if rng.random() < 0.2:
        return None
    return datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=rng.randrange(365 * 1440))


def states(draws, time):
    consumers = {}
    for draw in draws:
        consumers.update(draw.state["consumers"])
    said = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ")} if time else {}
    return said | {"slots": {d.name: d.state["slots"] for d in draws}, "consumers": consumers}


def run(leasectl, folder, draws, time):
    (folder / "plan.toml").write_text(toml(draws))
    (folder / "state.json").write_text(json.dumps(states(draws, time), indent=1))
    done = subprocess.run([leasectl, "plan", "--json", "--config", folder / "plan.toml",
                           "--state", folder / "state.json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"compare_plan: leasectl: exit {done.returncode}\n{done.stderr}{done.stdout}")
    answer = json.loads(done.stdout)
    return answer if isinstance(answer, list) else [answer]


def comparable(answer):
    """Theirs in the form of plan.py."""
    moves = [{key: move[key] for key in ("from", "to", "slots", "kind")} |
             {"grace_ms": round(move["grace_s"] * 1000)} for move in answer["moves"]]
    return {"slots": answer["slots"], "idle": answer["idle"], "consumers": answer["consumers"],
            "moves": moves}


def show_difference(draw, ours, theirs):
    print(f"group {draw.name} ({draw.kind}) differs: plan.py, then leasectl")
    print(toml([draw]))
    print(json.dumps(draw.state))
    for key in ("slots", "idle"):
        if ours[key] != theirs[key]:
            print(key, ours[key], theirs[key])
    for a, b in zip(ours["consumers"], theirs["consumers"]):
        print(" " if a == b else "!", a)
        if a != b:
            print("!", {k: v for k, v in b.items() if a[k] != v})
    if ours["moves"] != theirs["moves"]:
        for moves in (ours["moves"], theirs["moves"]):
            print(*moves, sep="\n", end="\n\n")


def compare(options, kind, folder):
    """How many moves, or None: they differ."""
    rng = random.Random(options.seed)
    moves = 0
    for first in range(0, options.count, BATCH):
        time = draw_time(rng)
        draws = [Draw(rng, f"g{i}", kind) for i in range(first, min(first + BATCH, options.count))]
        for draw, answer in zip(draws, run(options.leasectl, folder, draws, time)):
            now = plan.in_force(draw.consumers, time, draw.group.get("timezone", "UTC"))
            ours = plan.evaluate(draw.group, now, draw.state)
            theirs = comparable(answer)
            moves += len(theirs["moves"])
            if ours != theirs:
                show_difference(draw, ours, theirs)
                if options.keep:
                    Path(options.keep).mkdir(parents=True, exist_ok=True)
                    run(options.leasectl, Path(options.keep), [draw], time)
                return None
    return moves


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("leasectl")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    if options.long:
        options.count = LONG
    kinds = KINDS if options.long and not options.only else [options.only]
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            moves = compare(options, kind, Path(folder))
            if moves is None:
                return 1
            print(f"{kind or 'all'}: {options.count} plans, {moves} moves: the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
