"""How long a corpus takes, and how much memory, from 3,000 to 300,000 messages: python benchmarks/synthesis.py [PACK]

Every size is made by a process of its own with the grammar writer, so that its peak memory is its own. Prints seconds,
messages a second, and peak resident memory; time should grow as the number of messages does.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (3_000, 30_000, 300_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", nargs="?", default="technology")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    options = parser.parse_args()
    print(f"{'messages':>10} {'seconds':>9} {'messages/s':>11} {'us/message':>11} {'peak MB':>9}")
    for size in options.sizes:
        seconds, megabytes = measure(options.pack, size)
        print(f"{size:>10,} {seconds:>9.1f} {size / seconds:>11,.0f} {1e6 * seconds / size:>11.0f} {megabytes:>9.0f}")


def measure(pack: str, size: int) -> tuple[float, float]:
    """Wall-clock seconds and peak memory in MB of one corpus, the start of the process included."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "groupmem", "synth", "make", pack, "--messages", str(size), "--quiet"]
        started = time.monotonic()
        subprocess.run([*command, "--out", str(Path(folder) / "corpus")], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - started
    # The largest of all children so far; sizes are measured from small to large.
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


if __name__ == "__main__":
    main()
