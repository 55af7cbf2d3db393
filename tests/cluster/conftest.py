"""Clusters on this machine: everything is bound to 127.0.0.1."""

from __future__ import annotations

import os

# Ray reads these when it is imported. It replaces 127.0.0.1 by the address of the machine, except
# on systems for which it has no clusters.
os.environ.update(
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0",
    RAY_AUTH_MODE="disabled",
    RAY_USAGE_STATS_ENABLED="0",
    RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0",
)
