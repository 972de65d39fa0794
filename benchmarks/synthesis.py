"""How long a corpus takes, and how much memory, from 3,000 to 300,000 messages: python benchmarks/synthesis.py [PACK]

Every size is made by a process of its own with the grammar writer, from small to large. Prints seconds (of the wall and
of the processor), messages a second, microseconds of processor time a message, and peak resident memory; time should
grow as the number of messages does, so the microseconds should stay.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

SIZES = (3_000, 30_000, 300_000)


class Measured(NamedTuple):
    """One corpus, the start of the process included."""

    seconds: float
    processor_seconds: float
    megabytes: float
    """The largest of all processes so far, which is the last one where sizes grow."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", nargs="?", default="technology")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    options = parser.parse_args()
    print(f"{'messages':>10} {'seconds':>9} {'CPU s':>9} {'messages/s':>11} {'CPU us each':>12} {'peak MB':>9}")
    for size in sorted(options.sizes):
        found = measure(options.pack, size)
        each = 1e6 * found.processor_seconds / size
        print(
            f"{size:>10,} {found.seconds:>9.1f} {found.processor_seconds:>9.1f} {size / found.seconds:>11,.0f} "
            f"{each:>12.0f} {found.megabytes:>9.0f}"
        )


def measure(pack: str, size: int) -> Measured:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "groupmem", "synth", "make", pack, "--messages", str(size), "--quiet"]
        started = time.monotonic()
        subprocess.run([*command, "--out", str(Path(folder) / "corpus")], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(seconds, used, after.ru_maxrss / 1024)


if __name__ == "__main__":
    main()
