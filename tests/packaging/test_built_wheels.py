"""The wheels in `dist/` are what users should get. Skipped until `make wheel` has built them."""

from __future__ import annotations

import importlib
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "dist").glob("*.whl"))


@pytest.fixture
def contents(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "packaging"))
    yield importlib.import_module("contents")
    for name in ("contents", "notices"):
        sys.modules.pop(name, None)


@pytest.fixture(
    params=[None, *WHEELS][bool(WHEELS) :], ids=lambda wheel: wheel.name if wheel else "none"
)
def wheel(request: pytest.FixtureRequest) -> Path:
    if request.param is None:
        pytest.skip("dist/ has no wheel; run make wheel")
    path: Path = request.param
    return path


def test_the_name_promises_what_users_need(wheel: Path) -> None:
    assert re.fullmatch(r"superword-[\d.]+-(cp310-abi3|cp3\d+-cp3\d+t)-\S+\.whl", wheel.name)
    if "linux" in wheel.name:
        assert re.search(r"manylinux2014|musllinux", wheel.name)


def test_no_file_names_the_build_machine(wheel: Path, contents: ModuleType) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            assert list(contents.named_places(name, archive.read(name))) == []


def test_hashes_are_right(wheel: Path) -> None:
    import base64
    import csv
    import hashlib

    with zipfile.ZipFile(wheel) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith("/RECORD")]
        rows = list(csv.reader(archive.read(record).decode().splitlines()))
        assert {name for name, _, _ in rows} == set(archive.namelist())
        for name, digest, size in rows:
            if name != record:
                content = archive.read(name)
                hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
                assert (digest, int(size)) == (f"sha256={hashed.decode()}", len(content)), name


def test_a_wheel_without_the_playground_or_with_a_stray_file_is_refused(
    wheel: Path, contents: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "linked", lambda packages, targets: set())
    broken = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(broken, "w") as less:
        for name in whole.namelist():
            if not name.endswith("page.html"):
                less.writestr(name, whole.read(name), zipfile.ZIP_DEFLATED)
        less.writestr("tests/test_stray.py", f"# {ROOT}")
    problems = "\n".join(contents.problems_in(broken, "any"))
    assert "superword/playground/assets/page.html is missing" in problems
    assert "tests/test_stray.py does not belong there" in problems
    assert "tests/test_stray.py names a path of the build machine" in problems
