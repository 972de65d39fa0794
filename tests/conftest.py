"""Shared fixtures. Data tests read the folder that GROUPMEM_DATA names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# A shared machine may stall any example: a deadline would make properties fail by chance.
settings.register_profile("groupmem", deadline=None)
settings.load_profile("groupmem")


@pytest.fixture
def public_data() -> Callable[[str], Path]:
    """A function from a name below GROUPMEM_DATA to its path. Without the variable the test is skipped; with it, a
    missing file is a failure, so that no data test is silently left out where the data is at hand."""

    def locate(name: str) -> Path:
        root = os.environ.get("GROUPMEM_DATA")
        if not root:
            pytest.skip("no data: set GROUPMEM_DATA to the folder of the public data sets")
        path = Path(root) / name
        if not path.exists():
            pytest.fail(f"GROUPMEM_DATA is set and {path} is not there")
        return path

    return locate
