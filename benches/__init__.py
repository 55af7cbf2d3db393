"""Benchmarks of superword and its peers. `benches/README.md` says how to run and read them."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".bench"  # Texts, models and job files; git-ignored, may be removed at any time.
RECORDED = ROOT / "benches" / "results"
# RESULTS=folder tries a run out: it is not recorded, and README.md is left alone.
RESULTS = Path(os.environ.get("RESULTS") or RECORDED).resolve()
VENV = ROOT / ".venv-bench"
