"""Makes the checkout importable. Import it before anything of the package.

What only models on this machine or of other providers need is absent: torch and its like are imported by the package,
and used nowhere on the way over HTTP but in its search for neighbours, which `neighbours.py` does in their place.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from groupmem_absent import absent

absent(
    "boto3",
    "botocore.auth",
    "botocore.awsrequest",
    "botocore.exceptions",
    "gritlm",
    "litellm",
    "requests",
    "sentence_transformers",
    "torch",
    "transformers",
)
sys.path.insert(0, str(Path(os.environ["GROUPMEM_CHECKOUT"]) / "src"))
