"""Names are taken apart, and a wrong one says what would be right."""

from __future__ import annotations

import pytest

from groupmem.errors import InputError, ModelError, UnknownNameError
from groupmem.models.base import Account
from groupmem.models.calllog import Kind
from groupmem.models.names import ModelName, parse_embedding_name, parse_model_name
from groupmem.models.session import Models
from groupmem.models.targets import resolve


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai:gpt-5", ("openai", "gpt-5", None, None, None)),
        ("openai:qwen3@http://127.0.0.1:8000/v1", ("openai", "qwen3", "http://127.0.0.1:8000/v1", None, None)),
        (
            "openai:org/qwen3:8b@https://host.example/v1/",
            ("openai", "org/qwen3:8b", "https://host.example/v1", None, None),
        ),
        (
            "openai:@cf/meta/llama@https://host.example/v1",
            ("openai", "@cf/meta/llama", "https://host.example/v1", None, None),
        ),
        ("openai:@cf/meta/llama", ("openai", "@cf/meta/llama", None, None, None)),
        ("ollama:llama3.1", ("ollama", "llama3.1", None, None, None)),
        ("ollama:qwen3:8b@http://10.0.0.5:11434/v1", ("ollama", "qwen3:8b", "http://10.0.0.5:11434/v1", None, None)),
        ("azure:judge-eu", ("azure", "judge-eu", None, None, None)),
        ("azure:judge-eu=gpt-5", ("azure", "judge-eu", None, None, "gpt-5")),
        ("batch:gpt-5@runs/a@b", ("batch", "gpt-5", None, "runs/a@b", None)),
        ("scripted:C:/tests/replies.jsonl", ("scripted", "scripted", None, "C:/tests/replies.jsonl", None)),
    ],
)
def test_chat_names(name: str, expected: tuple[str | None, ...]) -> None:
    parsed = parse_model_name(name)
    assert (parsed.provider, parsed.model, parsed.url, parsed.path, parsed.runs) == expected
    assert parsed.given == name


@pytest.mark.parametrize("name", ["gpt-5", "local:smollm2", "e5", "minilm", "", ":", "Openai:gpt-5"])
def test_unknown_chat_names_list_the_choices(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_model_name(name)
    assert {"openai:MODEL@URL", "batch:MODEL@DIR", "scripted:FILE"} <= set(caught.value.choices)


@pytest.mark.parametrize("name", ["e5", "batch:gpt-5@d", "scripted:f", "bge", "local:x"])
def test_unknown_embedding_names_list_the_choices(name: str) -> None:
    with pytest.raises(UnknownNameError, match="minilm"):
        parse_embedding_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "openai:",
        "openai: ",
        "ollama:",
        "azure:",
        "azure:=gpt-5",
        "batch:gpt-5",
        "batch:@d",
        "batch:gpt-5@",
        "scripted:",
    ],
)
def test_a_name_that_lacks_a_part(name: str) -> None:
    with pytest.raises(InputError, match="lacks"):
        parse_model_name(name)


def test_a_url_without_its_scheme_is_no_part_of_a_model_name() -> None:
    with pytest.raises(InputError, match="http://"):
        parse_model_name("openai:qwen3@127.0.0.1:8000/v1")


@pytest.mark.parametrize(
    "secret", ["me:hunter2@host.example/v1", "host.example/v1?key=hunter2", "host.example/#hunter2"]
)
def test_a_url_with_a_secret_is_refused_and_not_repeated(secret: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_model_name(f"openai:qwen3@https://{secret}")
    assert "hunter2" not in str(caught.value)


def test_embedding_names() -> None:
    assert parse_embedding_name("minilm") == ModelName(given="minilm", provider="minilm", model="minilm")
    parsed = parse_embedding_name("openai:text-embedding-3-large@http://127.0.0.1:1/v1")
    assert (parsed.model, parsed.url) == ("text-embedding-3-large", "http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),  # noqa: S104 - what a server is told
        ("10.0.0.5", "http://10.0.0.5:11434/v1"),
        ("10.0.0.5:8080", "http://10.0.0.5:8080/v1"),
        ("https://ollama.example:443", "https://ollama.example:443/v1"),
    ],
)
def test_ollama_is_where_its_variable_says(monkeypatch: pytest.MonkeyPatch, host: str, url: str) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert resolve(parse_model_name("ollama:llama3.1")).base_url == url


@pytest.mark.parametrize(
    ("model", "reasons"),
    [
        *(("gpt-5", True), ("gpt-5-mini", True), ("o3", True), ("o4-mini", True), ("openai/gpt-5.1", True)),
        *(
            ("gpt-5-chat-latest", False),
            ("gpt-4o-mini", False),
            ("qwen3", False),
            ("olmo-2", False),
            ("solar-o1x", False),
            ("gpt-35-turbo", False),
            ("gpt-oss:20b", False),
        ),
    ],
)
def test_reasoning_models_are_known_by_name(model: str, reasons: bool) -> None:
    assert resolve(parse_model_name(f"openai:{model}")).reasoning is reasons


def test_an_azure_deployment_says_what_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://group.openai.azure.com/")
    with pytest.raises(InputError, match="OPENAI_API_VERSION"):
        resolve(parse_model_name("azure:judge"))
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    assert not resolve(parse_model_name("azure:judge")).reasoning
    target = resolve(parse_model_name("azure:judge=gpt-5"))
    assert (target.model, target.runs, target.reasoning) == ("judge", "gpt-5", True)


def test_a_name_without_a_provider_is_met_with_the_whole_name() -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_model_name("gpt-5")
    assert caught.value.choices[0] == "openai:gpt-5"


@pytest.mark.parametrize(("kind", "offered"), [("chat", "scripted:FILE"), ("embedding", "minilm")])
def test_a_description_is_of_one_kind_of_model(kind: Kind, offered: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        Models.describe("foo", kind)
    assert offered in caught.value.choices and not {"minilm", "scripted:FILE"} <= set(caught.value.choices)


def test_a_missing_key_names_its_variable_before_any_call() -> None:
    with Models(log_path=None, cache_path=None) as models, pytest.raises(ModelError, match="OPENAI_API_KEY"):
        models.chat("openai:gpt-5", Account())
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        Models.require_key("openai:text-embedding-3-large", "embedding")
    for free in ("ollama:llama3.1", "openai:qwen3@http://127.0.0.1:1/v1", "batch:gpt-5@d"):
        Models.require_key(free)


def test_descriptions_say_what_is_called_and_hold_no_key(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    script = tmp_path / "replies.jsonl"
    script.write_text('{"reply": "x"}')
    described = [
        Models.describe("openai:gpt-5"),
        Models.describe("ollama:llama3.1"),
        Models.describe("minilm", "embedding"),
        Models.describe("batch:gpt-5@d"),
        Models.describe(f"scripted:{script}"),
    ]
    assert described[0].startswith("gpt-5 at https://api.openai.com/v1")
    assert "11434" in described[1] and "8199be6f" in described[2] and "batch" in described[3]
    assert "sha256" in described[4] and str(tmp_path) not in described[4]
    assert "sk-secret" not in "".join(described)
