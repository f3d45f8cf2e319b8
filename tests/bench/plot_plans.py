#!/usr/bin/python3
"""Draws how the time of resource plans grows with their leaves, from the figures of bench_plan:

    build-bench/bin/bench_plan --benchmark_out=plans.json --benchmark_out_format=json
    tests/bench/plot_plans.py plans.json tests/bench/plans.svg

Needs Debian's python3-matplotlib: scripts/install-packages plots."""
import json
import sys
from pathlib import Path

SERIES = {
    "evaluate_whole/hybrid": "rule, hybrid",
    "evaluate_whole/share_ratio": "rule, share-ratio",
    "evaluate_whole/ownership": "rule, ownership",
    "cycle_looked_at": "cycle of the core, nothing to move",
    "cycle_changed": "cycle of the core, half of the leaves gain",
}
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def read(path: str) -> dict[str, list[tuple[int, float]]]:
    """Leaves and milliseconds by series, of plans of one resource group."""
    points: dict[str, list[tuple[int, float]]] = {}
    for run in json.loads(Path(path).read_text())["benchmarks"]:
        if run.get("run_type", "iteration") != "iteration" or run.get("error_occurred"):
            continue
        name, leaves, *shape = run["name"].removeprefix("evaluate_whole/").split("/")
        series = f"evaluate_whole/{name}" if "evaluate_whole" in run["name"] else name
        several_groups = bool(shape) and shape[0].isdigit() and int(shape[0]) > 1
        if series not in SERIES or several_groups:
            continue
        timed = "real_time" if "manual_time" in run["name"] else "cpu_time"
        points.setdefault(series, []).append(
            (int(leaves), run[timed] * MILLISECONDS[run["time_unit"]]))
    return {series: sorted(points[series]) for series in SERIES if series in points}


def draw(points: dict[str, list[tuple[int, float]]], path: str) -> None:
    import matplotlib
    matplotlib.use("svg" if path.endswith(".svg") else "agg")
    # Text stays text and names stay the same from run to run: small, and fit for a diff.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "plans", "font.size": 9})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(6, 4))
    for series, line in points.items():
        axes.plot([leaves for leaves, _ in line], [ms for _, ms in line], marker="o", markersize=3,
                  label=SERIES[series])
    most = max(leaves for line in points.values() for leaves, _ in line)
    axes.plot([100, most], [0.1, most / 1000], color="grey", linestyle=":", label="1 µs a leaf")
    axes.set(xscale="log", yscale="log", xlabel="leaves", ylabel="ms, one core")
    axes.grid(True, linewidth=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    points = read(sys.argv[1])
    if not points:
        print(f"plot_plans: no figures of plans in {sys.argv[1]}", file=sys.stderr)
        return 1
    try:
        draw(points, sys.argv[2])
    except ImportError as error:
        print(f"plot_plans: {error}; scripts/install-packages plots", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
