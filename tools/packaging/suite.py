"""Which tests run against an installed wheel.

This is the one list of tests that need the repository. All others must pass with nothing but the
package, the tests and the documentation.
"""

from __future__ import annotations

# Copied beside the tests. `python/` and `crates/` are not, so no test can import the source tree.
COPIED = ["Cargo.toml", "README.md", "docs", "examples", "pyproject.toml", "tests"]

# They read the sources, the Makefile or the tools, or need a browser or a cluster.
NEEDS_REPOSITORY = [
    "tests/api/test_docs.py",
    "tests/bench",
    "tests/browser",
    "tests/cluster",
    "tests/docs/test_choosing_page.py",
    "tests/docs/test_notebook_page.py",
    "tests/families",
    "tests/house",
    "tests/integrations/test_published_tokenizers.py",
    "tests/packaging/test_metadata.py",
    "tests/packaging/test_built_wheels.py",
    "tests/release",
    "tests/site",
    "tests/snapshots",
]

# A few minutes: the interface, the commands, the README and the tutorial.
QUICK = [
    "tests/packaging/test_installed_wheel.py",
    "tests/determinism/test_shared_objects.py",
    "tests/api",
    "tests/cli/test_commands.py",
    "tests/cli/test_export_commands.py",
    "tests/docs/test_documentation_runs.py",
]
QUICK_PAGES = ["README.md", "docs/install.md", "docs/tutorial.md"]

MARKERS = "not soak and not cluster and not browser and not site"


def arguments(full: bool) -> list[str]:
    """The arguments of pytest."""
    ignored = [f"--ignore={path}" for path in NEEDS_REPOSITORY]
    if full:
        return ["-m", MARKERS, *ignored, "tests"]
    pages = " or ".join(QUICK_PAGES)
    # The name of a page is the id of its test. Other tests have no such ids.
    chosen = f"not test_every_block_of_a_page or {pages}"
    return ["-m", MARKERS, "-k", chosen, *ignored, *QUICK]
