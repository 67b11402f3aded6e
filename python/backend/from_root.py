"""Builds the package of the folder above from the repository's root: `pip install .` works in both folders."""

import os
from pathlib import Path

import maturin

# A wheel has a bound, and the best compression costs a second.
os.environ.setdefault("MATURIN_PEP517_ARGS", "--compression-level 9")

# All other paths that a front end hands to a backend are absolute.
os.chdir(Path(__file__).resolve().parents[1])

for _name in ("build_wheel", "build_sdist", "get_requires_for_build_wheel", "get_requires_for_build_sdist", "prepare_metadata_for_build_wheel"):
    if hasattr(maturin, _name):
        globals()[_name] = getattr(maturin, _name)
