"""Writing files so that nobody ever sees a part of one."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomic(path: Path, content: bytes) -> None:
    """Replaces the file as a whole: a reader sees the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
