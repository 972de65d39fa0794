"""Model names: one string says which model, and where it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from groupmem.errors import InputError, UnknownNameError
from groupmem.types import Record

Provider = Literal["openai", "ollama", "azure", "batch", "scripted", "minilm"]

_SERVED = ("openai:MODEL", "openai:MODEL@URL", "ollama:MODEL", "azure:DEPLOYMENT")
CHAT_NAMES = (*_SERVED, "batch:MODEL@DIR", "scripted:FILE")
EMBEDDING_NAMES = ("minilm", *_SERVED)

_SERVERS: Mapping[str, Provider] = {"openai": "openai", "ollama": "ollama", "azure": "azure"}
_AT_URL = re.compile(r"(?P<model>.+?)@(?P<url>https?://.*)", re.IGNORECASE)


class ModelName(Record, frozen=True, kw_only=True):
    """A model name, taken apart.

    `given` is the string itself and `model` what the provider calls the model (for Azure, the deployment). `url` is the
    address after "@". `path` is the folder of a batch or the file of a script. `runs` names the model behind an Azure
    deployment where its own name does not tell.
    """

    given: str
    provider: Provider
    model: str
    url: str | None = None
    path: str | None = None
    runs: str | None = None


def parse_model_name(name: str) -> ModelName:
    """A chat model: one of `CHAT_NAMES`, e.g. "openai:gpt-5" or "batch:gpt-5@judging".

    An Azure deployment may say which model it runs ("azure:judge=gpt-5"): that decides its price and its parameters.
    Raises UnknownNameError for another provider, InputError for a name that lacks a part.
    """
    provider, _, rest = name.partition(":")
    if provider == "batch":
        model, _, folder = rest.partition("@")
        return ModelName(given=name, provider="batch", model=_part(model, name), path=_part(folder, name, "@DIR"))
    if provider == "scripted":
        return ModelName(given=name, provider="scripted", model="scripted", path=_part(rest, name, "FILE"))
    return _parse_served(name, CHAT_NAMES)


def parse_embedding_name(name: str) -> ModelName:
    """An embedding model: one of `EMBEDDING_NAMES`. Raises UnknownNameError or InputError."""
    if name == "minilm":
        return ModelName(given=name, provider="minilm", model="minilm")
    return _parse_served(name, EMBEDDING_NAMES)


def _parse_served(name: str, choices: tuple[str, ...]) -> ModelName:
    """The providers that serve both kinds of model over HTTP."""
    given, _, rest = name.partition(":")
    provider = _SERVERS.get(given)
    if provider is None:
        # A bare "gpt-5" mostly lacks its provider and nothing else.
        bare = (f"openai:{name}",) if name and name == given and choices is CHAT_NAMES else ()
        raise UnknownNameError("model", name, (*bare, *choices))
    if provider == "azure":
        deployment, _, runs = rest.partition("=")
        return ModelName(given=name, provider=provider, model=_part(deployment, name), runs=runs or None)
    model, url = _split_url(rest, name)
    return ModelName(given=name, provider=provider, model=_part(model, name), url=url)


def _split_url(rest: str, name: str) -> tuple[str, str | None]:
    match = _AT_URL.fullmatch(rest)
    if match:
        return match["model"], _checked_url(match["url"], name)
    if "@" in rest[1:]:  # a name may begin with "@" ("@cf/meta/llama-3")
        raise InputError(f"model name {name!r}: what follows @ is a URL that begins with http:// or https://")
    return rest, None


def _checked_url(url: str, name: str) -> str:
    """The URL without its last slash. Names are recorded and shown, so a URL must not hold a secret."""
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            f"model name {name.partition('@')[0]}@...: the URL must not hold a user, a password or a query, because it "
            "is written to records; keys are read from the environment"
        )
    if not parts.hostname:
        raise InputError(f"model name {name!r}: the URL lacks a host")
    return url.rstrip("/")


def _part(part: str, name: str, what: str = "the model") -> str:
    if not part.strip():
        raise InputError(f"model name {name!r} lacks {what}: write one of {', '.join(CHAT_NAMES)}")
    return part.strip()
