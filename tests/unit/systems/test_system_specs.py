"""From the text after `--system` to a system: names, options, and classes of users by path."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.systems.base import BaseSystem, Capabilities, Setting
from groupmem.lab.systems.isolated import official
from groupmem.lab.systems.isolated.adapter import adapter_names
from groupmem.lab.systems.options import Option, resolve_options
from groupmem.lab.systems.registry import SYSTEMS, create_system, named_models, parse_spec, system_names
from groupmem.types import Answer, Message, Recall

METHODS = """
from groupmem.types import Answer, Recall

class Quiet:
    def ingest(self, messages): self.count = len(messages)
    def settle(self): pass
    def recall(self, question, *, asker, limit, asked_at): return Recall()
"""


@pytest.fixture
def write(tmp_path: Path):
    def write_(code: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(code, encoding="utf-8")
        return path

    return write_


@pytest.mark.parametrize("name", system_names())
def test_every_system_says_what_it_is_and_what_its_options_do(name: str) -> None:
    opened = create_system(name)
    assert (SYSTEMS[name].__doc__ or "").strip()
    assert opened.options == {option.name: option.default for option in opened.system.options}
    for option in opened.system.options:
        assert option.summary and option.allowed
        option.check(option.default, name)


@pytest.mark.parametrize("name", (*system_names(), *adapter_names()))
@pytest.mark.parametrize("given", [(), ("chat",), ("embedding",), ("chat", "embedding")])
def test_the_models_of_a_spec_are_known_before_it_is_created(
    name: str, given: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(official, "installed", lambda part: part)
    system = official.adapter_system(name) if name in adapter_names() else create_system(name).system
    known = {option.name for option in system.options}
    options = ",".join(f"{option}=openai:{option}" for option in given if option in known)
    try:
        opened = create_system(f"{name}:{options}")
    except InputError as error:
        assert "calls a chat model and none is named" in str(error)
        assert named_models(f"{name}:{options}").chat is None
    else:
        assert named_models(f"{name}:{options}") == (opened.chat, opened.embedding)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("mem0:infer=maybe", "maybe"),
        ("mem0:infre=off", "infer"),
        ("mem0", "calls a chat model and none is named"),
        ("mem0:infer=off", "groupmem systems install mem0"),
        ("memgpt", r"lacking: memgpt, postgres"),
    ],
)
def test_what_is_wrong_with_a_spec_is_told_before_anything_is_to_be_installed(
    spec: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises((InputError, UnknownNameError), match=told):
        create_system(spec)


@pytest.mark.parametrize(
    ("spec", "name", "path", "options"),
    [
        ("bm25", "bm25", None, {}),
        ("bm25:k1=1.2,b=0", "bm25", None, {"k1": "1.2", "b": "0"}),
        ("bm25:", "bm25", None, {}),
        (
            "dense:embedding=e5@http://127.0.0.1:8000/v1?a=b",
            "dense",
            None,
            {"embedding": "e5@http://127.0.0.1:8000/v1?a=b"},
        ),
        ("mine.py:MyMemory", "MyMemory", "mine.py", {}),
        ("mine.py", "", "mine.py", {}),
        ("a b/../日本.py:C:depth=3, order = new", "C", "a b/../日本.py", {"depth": "3", "order": "new"}),
        ("/a.py/mine.py:C:file=other.py", "C", "/a.py/mine.py", {"file": "other.py"}),
        ("C:\\work\\mine.py:Memory", "Memory", "C:\\work\\mine.py", {}),
    ],
)
def test_a_spec_is_taken_apart(spec: str, name: str, path: str | None, options: dict[str, str]) -> None:
    assert parse_spec(spec) == (name, None if path is None else Path(path), options)


@pytest.mark.parametrize(
    ("spec", "told"), [("bm25:k1", "'k1' is no option"), ("bm25:=3", "no option"), ("bm25:b=1,b=0", "twice")]
)
def test_options_that_are_not_written_as_options(spec: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        create_system(spec)


def test_options_are_complete_and_name_the_embedding_to_open() -> None:
    assert create_system("bm25:k1=2").options == {"k1": "2", "b": "0.75", "asker": "on"}
    assert create_system("bm25").embedding is None
    assert create_system("dense").embedding == "minilm"
    assert create_system("hybrid:embedding=e5").embedding == "e5"


def test_an_unknown_name_lists_the_choices_with_the_nearest_first() -> None:
    with pytest.raises(UnknownNameError, match="unknown system 'bm52'") as raised:
        create_system("bm52", also=("oracle",))
    assert raised.value.choices[0] == "bm25"
    assert set(raised.value.choices) == {*system_names(), *adapter_names(), "oracle"}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("bm25:k2=1", "unknown option of bm25 'k2': choose from k1"),
        ("bm25-okapi:k1=1", "bm25-okapi takes no options"),
        ("bm25:k1=", "not a number from 0 to 100"),
        ("bm25:k1=fast", "'fast' is not a number"),
        ("bm25:k1=nan", "'nan' is not a number"),
        ("bm25:b=1.5", "not a number from 0 to 1"),
        ("bm25:asker=maybe", "value for option asker of bm25 'maybe': choose from"),
        ("dense:embedding=", "no value; say embedding=minilm"),
    ],
)
def test_an_option_that_cannot_be_is_refused_before_anything_is_read(spec: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        create_system(spec)


def test_a_system_refuses_an_unknown_option_also_when_it_is_opened() -> None:
    class Plain(BaseSystem):
        def ingest(self, messages):
            pass

        def recall(self, question, *, asker, limit, asked_at):
            return Recall()

    Plain().open(Setting())
    with pytest.raises(InputError, match="Plain takes no options"):
        Plain().open(Setting(options={"depth": "3"}))
    with pytest.raises(NotImplementedError, match="Plain does not answer"):
        Plain().answer("?", asker=None, asked_at=None)


def test_an_option_without_bounds_takes_any_text() -> None:
    free = Option(name="label", default="x", summary="a label")
    assert resolve_options({"label": "=:,"}, [free], owner="mine") == {"label": "=:,"}
    assert free.allowed == "text"


# -- classes of users -----------------------------------------------------------------------------------------------


def test_a_class_with_the_three_methods_is_a_system(write) -> None:
    opened = create_system(f"{write(METHODS)}:Quiet")
    system = opened.system
    system.open(Setting(options=opened.options))
    system.ingest([Message(id="m", channel="c", author="a", text="t")])
    system.settle()
    assert system.recall("?", asker=None, limit=3, asked_at=None) == Recall()
    assert system.capabilities == Capabilities()
    assert (opened.options, opened.embedding) == ({}, None)
    system.close()


def test_what_a_class_has_beyond_them_is_used(write) -> None:
    more = """
import groupmem.lab.systems.base as base
from groupmem.lab.systems.options import Option

class Loud(Quiet):
    capabilities = base.Capabilities(answers=True)
    options = (Option(name="embedding", default="e5", summary="the model"),)
    closed = 0
    def open(self, setting): self.model = setting.options["embedding"]
    def answer(self, question, *, asker, asked_at): return Answer(text=f"{asker} uses {self.model}")
    def close(self): type(self).closed += 1
"""
    opened = create_system(f"{write(METHODS + more)}:Loud")
    assert opened.system.capabilities.answers
    assert opened.embedding == "e5"
    opened.system.open(Setting(options=opened.options))
    assert opened.system.answer("?", asker="User_1", asked_at=None) == Answer(text="User_1 uses e5")
    opened.system.close()
    loaded = [module for name, module in sys.modules.items() if name.startswith("groupmem_user_mine")]
    assert sum(module.Loud.closed for module in loaded if hasattr(module, "Loud")) == 1


def test_a_class_may_build_on_the_base_class(write) -> None:
    derived = """
from groupmem.lab.systems.base import BaseSystem
from groupmem.types import Recall

class Derived(BaseSystem):
    def ingest(self, messages): pass
    def recall(self, question, *, asker, limit, asked_at): return Recall(support=0.5)
"""
    system = create_system(f"{write(derived)}:Derived").system
    system.open(Setting())
    system.settle()
    assert system.recall("?", asker=None, limit=3, asked_at=None).support == 0.5


def test_a_file_may_import_what_lies_beside_it(write) -> None:
    write("LIMIT = 7\n", name="beside_mine.py")
    path = write("from beside_mine import LIMIT\n" + METHODS)
    assert create_system(f"{path}:Quiet").system


def test_a_file_is_run_once_for_each_content_it_has(write) -> None:
    path = write(METHODS)
    kinds = [type(create_system(f"{path}:Quiet").system._system) for _ in range(2)]
    assert kinds[0] is kinds[1]
    write(METHODS + "\n# edited\n")
    assert type(create_system(f"{path}:Quiet").system._system) is not kinds[0]


def test_the_sum_of_the_file_goes_with_the_system(write) -> None:
    path = write(METHODS)
    assert create_system(f"{path}:Quiet").sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert create_system("bm25").sha256 is None


@pytest.mark.parametrize(
    ("code", "name", "told"),
    [
        (METHODS, "Quite", "unknown class in .*mine.py 'Quite': choose from Quiet"),
        (METHODS, "", "which class of .*mine.py:CLASS with one of Quiet"),
        ("x = 1", "", "none: it has none"),
        ("x = 1", "x", "unknown class in .* 'x': choose from none"),
        ("class Half:\n    def ingest(self, messages): pass", "Half", "Half lacks settle, recall; a memory system has"),
        ("class Odd:\n    ingest = settle = recall = 3", "Odd", "Odd lacks ingest, settle, recall"),
        (
            METHODS + "\n    def __init__(self, depth): pass",
            "Quiet",
            "Quiet.. without arguments fails: TypeError.*depth",
        ),
        (METHODS + "\n    def __init__(self): 1 / 0", "Quiet", "without arguments fails: ZeroDivisionError"),
        (
            METHODS + "\n    def recall(self, question, limit): pass",
            "Quiet",
            "recall must take .question, ., asker, limit",
        ),
        (METHODS + "\n    capabilities = {'answers': True}", "Quiet", "capabilities must be a Capabilities, not dict"),
        (METHODS + "\n    options = {'depth': '3'}", "Quiet", "options must be a tuple of Option"),
        ("import no_such_module_anywhere", "Quiet", "fails when it is loaded: ModuleNotFoundError"),
        ("class Quiet(", "Quiet", "fails when it is loaded: SyntaxError"),
        ("raise SystemExit(3)", "Quiet", "fails when it is loaded: SystemExit: 3"),
        (METHODS + "\n    def __init__(self): raise SystemExit(3)", "Quiet", "without arguments fails: SystemExit"),
        (
            "from groupmem.lab.systems.base import BaseSystem\nclass Base(BaseSystem):\n    pass",
            "Base",
            "Base lacks ingest, recall",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_why(write, code: str, name: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        create_system(f"{write(code)}:{name}")


def test_a_failed_file_can_be_mended_and_loaded_again(write) -> None:
    path = write("import no_such_module_anywhere")
    with pytest.raises(InputError):
        create_system(f"{path}:Quiet")
    write(METHODS)
    assert create_system(f"{path}:Quiet").system


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*nowhere\.py: No such file"):
        create_system(f"{tmp_path / 'nowhere.py'}:MyMemory")


def test_a_class_that_promises_answers_must_give_them(write) -> None:
    code = (
        METHODS
        + "\n    from groupmem.lab.systems.base import Capabilities\n    capabilities = Capabilities(answers=True)"
    )
    with pytest.raises(InputError, match="Quiet answers by itself, and has no method answer"):
        create_system(f"{write(code)}:Quiet")
