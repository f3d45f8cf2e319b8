"""Draws campus.svg again: the picture in the tree is the one that the program makes."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = Path(os.environ.get("LEASEHOLD_BIN", HERE.parents[1] / "build" / "bin"))

with tempfile.TemporaryDirectory() as folder:
    drawn = Path(folder) / "campus.svg"
    subprocess.run([PROGRAMS / "leasectl", "simulate", HERE / "campus.toml", "--plot", drawn],
                   stdout=subprocess.DEVNULL, check=True)
    if drawn.read_text() != (HERE / "campus.svg").read_text():
        sys.exit("tests/demand/campus.svg is another picture: leasectl simulate tests/demand/campus.toml "
                 "--plot tests/demand/campus.svg")
