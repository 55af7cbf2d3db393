"""Without the packages of a cluster, importing its module names the extra that installs them."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("package", ["pyspark", "pyarrow", "pandas"])
def test_spark_without_its_packages_names_the_extra(package: str) -> None:
    code = (
        "import sys, superword\n"
        "for name in ('pyspark', 'pyarrow', 'pandas'):\n"
        f"    sys.modules[name] = None if name == {package!r} else type(sys)(name)\n"
        "try:\n"
        "    superword.integrations.spark\n"
        "except superword.errors.MissingExtraError as error:\n"
        "    print(error.extra, error, sep='|')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith(f"spark|superword.integrations.spark needs the package {package}")
    assert "pip install 'superword[spark]'" in done.stdout
