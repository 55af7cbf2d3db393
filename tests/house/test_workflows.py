"""The workflows keep their promises: pinned actions, few permissions, targets that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
# `uses: owner/name@commit # version`: the commit cannot move, and the version is for people.
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
CALLS_MAKE = re.compile(r"(?:^|[;&|\s])make ((?:[a-z][\w-]*)(?: [a-z][\w-]*)*)", re.MULTILINE)
# What a workflow may do besides reading the repository, and the only jobs that may do it.
MAY_WRITE = {
    ("docs", "deploy"): {"id-token", "pages"},
    ("release", "attest"): {"attestations", "id-token"},
    ("release", "crates"): {"id-token"},
    ("release", "github"): {"contents"},
    ("release", "pypi"): {"id-token"},
}


def load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def jobs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each job, with the names of its workflow and of itself."""
    for path in WORKFLOWS:
        for name, job in load(path)["jobs"].items():
            yield path.stem, name, job


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each step, with a name for messages."""
    for workflow, name, job in jobs():
        for number, step in enumerate(job.get("steps", [])):
            yield f"{workflow}.yml, {name}, step {number + 1}", step


def targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][\w-]*):(?!=)", makefile, re.MULTILINE))


def test_there_are_workflows() -> None:
    found = {path.stem for path in WORKFLOWS}
    assert found == {"ci", "docs", "nightly", "release", "wheels"}


def test_every_target_that_a_workflow_makes_exists() -> None:
    made = {
        (place, target)
        for place, step in steps()
        for call in CALLS_MAKE.findall(step.get("run", ""))
        for target in call.split()
    }
    assert {target for _, target in made} >= {"test", "wheel", "docs", "fuzz", "sanitize", "bench"}
    known = targets()
    assert [call for call in sorted(made) if call[1] not in known] == []


def test_every_action_is_pinned_to_a_commit() -> None:
    wrong = []
    for path in WORKFLOWS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            used = re.search(r"uses: .*", line)
            if used and "uses: ./" not in line and not PINNED.fullmatch(used[0]):
                wrong.append(f"{path.name}:{number}: {line.strip()}")
    assert wrong == []


def test_an_action_has_the_same_commit_everywhere() -> None:
    commits: dict[str, set[str]] = {}
    for _, step in steps():
        action, _, commit = step.get("uses", "").partition("@")
        commits.setdefault(action, set()).add(commit)
    assert {action: found for action, found in commits.items() if len(found) > 1} == {}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_no_permissions_and_end_older_runs(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {}
    assert workflow["concurrency"]["group"]


def test_jobs_write_only_what_they_must() -> None:
    wrong = []
    for workflow, name, job in jobs():
        given = job.get("permissions", {})
        writes = {scope for scope, access in given.items() if access == "write"}
        reads = {scope for scope, access in given.items() if access != "write"}
        if writes != MAY_WRITE.get((workflow, name), set()) or not reads <= {"contents"}:
            wrong.append(f"{workflow}.yml, {name}: {given}")
    assert wrong == []


def test_every_job_has_a_time_limit() -> None:
    # A job that calls a workflow cannot have one; the jobs of that workflow do.
    missing = [
        f"{workflow}.yml, {name}"
        for workflow, name, job in jobs()
        if "uses" not in job and not 0 < job.get("timeout-minutes", 0) <= 240
    ]
    assert missing == []


def test_no_checkout_leaves_its_credentials() -> None:
    wrong = [
        place
        for place, step in steps()
        if step.get("uses", "").startswith("actions/checkout@")
        and step.get("with", {}).get("persist-credentials") is not False
    ]
    assert wrong == []


def test_nothing_that_is_published_comes_from_a_cache() -> None:
    wrong = []
    for place, step in steps():
        if place.startswith(("release.yml", "wheels.yml")):
            action = step.get("uses", "")
            if action.startswith(("actions/cache", "Swatinem/rust-cache")):
                wrong.append(place)
            if step.get("with", {}).get("cache"):
                wrong.append(place)
    assert wrong == []


def test_one_job_waits_for_all_others() -> None:
    ci = load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    assert set(ci["all"]["needs"]) == set(ci) - {"all"}
    assert "always()" in ci["all"]["if"]


def test_tests_run_on_every_supported_python() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    supported = set(re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project))
    oldest = re.search(r'requires-python = ">=(3\.\d+)"', project)
    assert oldest is not None
    matrix = load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["python"]["strategy"]["matrix"]
    tested = set(matrix["python"])
    assert supported | {oldest[1], "3.14", "3.14t"} <= tested
    systems = {cell["system"].split("-")[0] for cell in matrix["include"]}
    assert systems == {"ubuntu", "macos", "windows"}
    for system in systems:
        found = {cell["python"] for cell in matrix["include"] if cell["system"].startswith(system)}
        assert {oldest[1], "3.14"} <= found, system


def test_wheels_exist_for_every_platform() -> None:
    build = load(ROOT / ".github" / "workflows" / "wheels.yml")["jobs"]["build"]
    built = {cell["target"] for cell in build["strategy"]["matrix"]["include"]}
    systems = ("unknown-linux-gnu", "unknown-linux-musl", "apple-darwin", "pc-windows-msvc")
    assert built == {f"{cpu}-{system}" for cpu in ("x86_64", "aarch64") for system in systems}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_ask_for_something(path: Path) -> None:
    form = load(path)
    if path.stem == "config":
        assert form["contact_links"]
        return
    assert form["name"]
    assert form["description"]
    asked = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in asked}) == len(asked)
    assert any(field.get("validations", {}).get("required") for field in asked)


def test_every_kind_of_dependency_is_kept_up_to_date() -> None:
    updates = load(ROOT / ".github" / "dependabot.yml")["updates"]
    found = {update["package-ecosystem"] for update in updates}
    assert found == {"cargo", "github-actions", "npm", "pip"}
    for update in updates:
        for folder in update.get("directories", [update.get("directory")]):
            assert (ROOT / folder.lstrip("/")).is_dir(), folder
