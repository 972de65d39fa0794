"""Where the calls of a model go, read from the environment: addresses, and the variables that hold keys."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from msgspec.structs import replace

from groupmem.errors import InputError, ModelError
from groupmem.models.names import ModelName
from groupmem.types import Record

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434/v1"

_REASONING = re.compile(r"(?:^|/)(?:o\d|gpt-(?:[5-9]|1\d)(?!\d))(?!.*chat)")
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class Target(Record, frozen=True, kw_only=True):
    """One model at one address.

    `name` is what the user gave, `model` what is sent, `runs` the model that decides price and parameters. `free`:
    a call costs nothing, whatever its tokens. `price_provider` names the price list; None: found by the address.
    `key_variables` are the environment variables that may hold the key.
    """

    name: str
    model: str
    runs: str
    base_url: str
    key_variables: tuple[str, ...] = ()
    key_required: bool = False
    api_version: str | None = None
    price_provider: str | None = None
    batch: bool = False
    free: bool = False

    @property
    def reasoning(self) -> bool:
        """Whether the model thinks before it writes: it takes no temperature, and its cap covers the hidden tokens."""
        return bool(_REASONING.search(self.runs))

    @property
    def on_loopback(self) -> bool:
        return urlsplit(self.base_url).hostname in _LOOPBACK


def resolve(name: ModelName) -> Target:
    """The target of a parsed name. Raises InputError where the environment lacks an address that it must give."""
    plain = Target(name=name.given, model=name.model, runs=name.runs or name.model, base_url=name.url or "")
    match name.provider:
        case "openai":
            return _at_url(plain) if name.url else _openai(plain)
        case "ollama":
            return _ollama(plain)
        case "azure":
            return _azure(plain)
        case "batch":
            # The address stands for whoever answers the files: moving the folder leaves the request ids as they are.
            return replace(plain, base_url="batch", price_provider="openai", batch=True)
        case "scripted" | "minilm":
            return replace(plain, base_url="local", free=True)


def find_key(target: Target) -> str | None:
    """The key for a target, from the environment. Raises ModelError where one is needed and no variable holds it."""
    key = next((os.environ[name] for name in target.key_variables if os.environ.get(name)), None)
    if key is None and target.key_required:
        raise ModelError(f"model {target.name!r} needs a key: set the environment variable {target.key_variables[0]}")
    return key


def _openai(plain: Target) -> Target:
    base_url = os.environ.get("OPENAI_BASE_URL", OPENAI_URL).rstrip("/")
    return replace(plain, base_url=base_url, key_variables=("OPENAI_API_KEY",), key_required=True)


def _at_url(plain: Target) -> Target:
    """A key goes to the host that it was made for and to no other, so each host has a variable of its own."""
    host = urlsplit(plain.base_url).hostname or ""
    return replace(plain, key_variables=("GROUPMEM_API_KEY_" + re.sub(r"\W", "_", host).upper(),))


def _ollama(plain: Target) -> Target:
    target = replace(plain, base_url=plain.base_url or _ollama_url(os.environ.get("OLLAMA_HOST", "")))
    # Ollama passes models whose tag ends so on to its paid service.
    return replace(target, free=target.on_loopback and not plain.model.endswith("-cloud"))


def _ollama_url(host: str) -> str:
    """OLLAMA_HOST may be a host, a host with a port, or a URL."""
    if not host:
        return OLLAMA_URL
    parts = urlsplit(host if "://" in host else f"http://{host}")
    if not parts.hostname:
        raise InputError(f"OLLAMA_HOST={host!r} is no host: write it as 127.0.0.1:11434 or http://127.0.0.1:11434")
    dialled = "127.0.0.1" if parts.hostname == "0.0.0.0" else parts.hostname  # noqa: S104 - a server's word for "any"
    return f"{parts.scheme}://{dialled}:{parts.port or 11434}/v1"


def _azure(plain: Target) -> Target:
    return replace(
        plain,
        base_url=_required("AZURE_OPENAI_ENDPOINT", plain).rstrip("/"),
        api_version=_required("OPENAI_API_VERSION", plain),
        key_variables=("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
        key_required=True,
        price_provider="azure",
    )


def _required(variable: str, plain: Target) -> str:
    value = os.environ.get(variable)
    if not value:
        raise InputError(f"model {plain.name!r} needs the environment variable {variable}")
    return value
