"""Install Chromium for the tests of the playground, unless there is a browser already."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from compilers import install

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

if not any(map(shutil.which, BROWSERS)):
    install(["chromium"], "there is no browser for the tests", "install Chromium")
