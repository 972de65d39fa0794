"""The environment variables of a worker: what it needs to run, and no secret of the user."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from groupmem.lab.systems.isolated.lifetime import SCRATCH_VARIABLE

HELPER = Path(__file__).parent / "helper"
CALL_TIMEOUT = "GROUPMEM_CALL_TIMEOUT_S"

_KEPT = frozenset({"PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"})
_KEPT_PREFIXES = ("LC_", "OMP_", "OPENBLAS_", "MKL_")
_FIXED = {
    # hubs offline: what a package lacks is provided, or named in the record, and never fetched while a clock runs
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # telemetry off
    "ANONYMIZED_TELEMETRY": "False",
    "DD_TRACE_ENABLED": "false",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "MEM0_TELEMETRY": "False",
    "OTEL_SDK_DISABLED": "true",
    "POSTHOG_DISABLED": "1",
    "SCARF_NO_ANALYTICS": "true",
    # nothing but loopback, and never by way of a proxy
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
    # the same results everywhere
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "PYTHONUTF8": "1",
    "OMP_NUM_THREADS": "1",  # whatever the user's is: sums in another order are other scores
    "TOKENIZERS_PARALLELISM": "false",
}


def worker_environment(home: Path, own: Mapping[str, str]) -> dict[str, str]:
    """All variables of a worker. `home` is its scratch folder, `own` what its adapter sets over the common ones."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_KEPT_PREFIXES)}
    places = {"HOME": str(home), SCRATCH_VARIABLE: str(home), "PYTHONPATH": str(HELPER)}
    return {**kept, **_FIXED, **places, **own}
