"""Build the documentation site.

    python tools/site/build.py      # or: make docs

Pages are copied and generated into `.site/docs`, Zensical builds them, and every link of the
result is checked before it becomes `site`. Nothing is downloaded. Models for the picture and the
example report are trained on Python's standard library, once; they are kept in `.site/models`.
"""

# ruff: noqa: E402 - `benches` is found only once the repository is on the path.
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(ROOT))

import api_pages
import command_pages
import parts
import site_check
import staging
import superword
from rewriting import SiteError, relative
from superword import _core
from superword.cli import cli

WORK = ROOT / ".site"
STAGE = WORK / "docs"
MODELS = WORK / "models"
BUILT = WORK / "site"
SITE = ROOT / "site"
# Zensical loads this from a server when a page is opened from disk. The site has its own copy.
SHIM = "https://unpkg.com/iframe-worker/shim"
OWN_SHIM = "javascripts/iframe-worker.js"
FRAME = """\
# {title}

{text}

[Open it in a page of its own]({page}){{ .md-button .md-button--primary }}

<iframe class="sw-frame" src="{page}" title="{title}" loading="lazy"></iframe>
"""
PLAYGROUND = """\
Type a text, and see how a small model splits it. The engine runs in this page, and nothing you
type leaves it. [The how-to guide](how-to/playground.md) describes what the page can do, and how to
make one with your own models."""
REPORT = """\
This is what `superword report` makes: one HTML file that needs no others. It compares BPE,
BoundlessBPE and SuperBPE, trained on the source code of Python's standard library and measured on
files that were held out. `make demo` makes the same report. [The how-to guide](how-to/report.md)
describes the command."""


def main() -> None:
    """Build and check the site."""
    try:
        build()
    except SiteError as error:
        sys.exit(f"error: {error}")


def build() -> None:
    """Stage, generate, build, check."""
    if not (ROOT / "python/superword/playground/assets/page.html").exists():
        raise SiteError("the playground is not built; run `make playground` first")
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.rmtree(SITE, ignore_errors=True)
    models = train()
    tokenizers = {
        method: superword.Tokenizer.load(models / f"{method}.superword")
        for method in ("bpe", "boundless")
    }
    results = ROOT / "benches" / "results"
    generated = {
        **api_pages.generate(ROOT / "python" / "superword"),
        **command_pages.generate(cli),
        "playground.md": FRAME.format(
            title="Playground", text=PLAYGROUND, page="standalone/playground.html"
        ),
        "example-report.md": FRAME.format(
            title="Example report", text=REPORT, page="standalone/report.html"
        ),
    }
    made = {
        "picture": parts.picture(tokenizers),
        "numbers": parts.numbers(results),
        "benchmarks": parts.benchmarks(results),
    }
    configuration = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    staging.check_navigation(configuration, {*staging.pages_of(ROOT).values(), *generated})
    standalone = ["standalone/playground.html", "standalone/report.html"]
    staging.copy(ROOT, STAGE, generated, made, standalone)
    (STAGE / "standalone").mkdir()
    shutil.copyfile(models / "report.html", STAGE / standalone[1])
    run("tools/playground/demo.py", str(STAGE / standalone[0]))
    for source, target in (
        ("extra.css", "stylesheets/extra.css"),
        ("iframe-worker.js", OWN_SHIM),
        ("logo.svg", "images/logo.svg"),
    ):
        (STAGE / target).parent.mkdir(exist_ok=True)
        shutil.copyfile(HERE / "theme" / source, STAGE / target)
    run("-m", "zensical", "build", "--strict", "--clean")
    use_own_shim()
    check()
    shutil.move(BUILT, SITE)
    print(f"open {SITE / 'index.html'}")


def train() -> Path:
    """The models and the report of `superword.demo`, made again only when the engine changed."""
    report = MODELS / "report.html"
    engine = Path(_core.__file__).stat().st_mtime
    if not report.exists() or report.stat().st_mtime < engine:
        shutil.rmtree(MODELS, ignore_errors=True)
        run("-m", "superword.demo", "--output", str(MODELS))
    return MODELS


def use_own_shim() -> None:
    """Let every page load its own copy of the shim."""
    for path in BUILT.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        if SHIM in text:
            page = path.relative_to(BUILT).as_posix()
            path.write_text(text.replace(SHIM, relative(OWN_SHIM, page)), encoding="utf-8")


def check() -> None:
    """Check the links, and that every public name has its anchor."""
    pages = site_check.read(BUILT)
    problems = site_check.check(BUILT, pages)
    known = {
        anchor
        for path, page in pages.items()
        if path.parent.name == api_pages.FOLDER
        for anchor in page.anchors
    }
    for name in api_pages.anchors(ROOT / "python" / "superword"):
        if name not in known:
            problems.append(f"{api_pages.FOLDER}: {name} is not documented")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if problems:
        raise SiteError(f"the site has {len(problems)} errors")
    size = sum(path.stat().st_size for path in BUILT.rglob("*") if path.is_file())
    print(f"site: {len(pages)} pages, {size / 1e6:.1f} MB")


def run(*arguments: str) -> None:
    """Run a Python program in the repository, with this interpreter."""
    # Zensical imports the extension of Griffe, which imports its neighbours.
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, *arguments]
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
        raise SiteError(f"{' '.join(arguments[:2])} failed, see above")


if __name__ == "__main__":
    main()
