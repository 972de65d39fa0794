"""`batch:MODEL@DIR`: waves of requests in files, and answers that come in whatever order and state."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groupmem.errors import BudgetError, InputError, ModelError, PendingError
from groupmem.models.budget import Budget
from groupmem.models.session import Models
from support.asking import ACCOUNT, ask
from support.openai_server import COUNTED

Open = Callable[..., Models]


def completion(text: str) -> dict[str, Any]:
    return {"choices": [{"finish_reason": "stop", "message": {"content": text}}], "usage": COUNTED}


def answer(custom_id: str, status: int = 200, body: Any = None, error: Any = None) -> str:
    """A line as the service writes it; a reply that repeats the id's beginning where no body is given."""
    body = completion(f"reply to {custom_id[:6]}") if body is None else body
    response = {"status_code": status, "request_id": "r1", "body": body}
    return json.dumps({"id": "b1", "custom_id": custom_id, "response": response, "error": error})


def expired(custom_id: str) -> str:
    return json.dumps({"id": "b1", "custom_id": custom_id, "response": None, "error": {"code": "batch_expired"}})


def requests(folder: Path, wave: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"requests-{wave:04}.jsonl").read_text().splitlines()]


def ids(folder: Path, wave: int) -> list[str]:
    return [line["custom_id"] for line in requests(folder, wave)]


def one_pass(models: Models, folder: Path, texts: list[str], model: str = "gpt-4o-mini") -> dict[str, str]:
    """What a stage does: every item once, the pending ones left for the next start."""
    chat = models.chat(f"batch:{model}@{folder}", ACCOUNT)
    done = {}
    for text in texts:
        try:
            done[text] = chat.complete(ask(text, max_tokens=9)).text
        except PendingError:
            continue
    return done


def pending(models: Models) -> PendingError:
    with pytest.raises(PendingError) as caught:
        models.flush_batches()
    return caught.value


def test_two_waves_with_answers_in_part(open_models: Open, tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    first = open_models()
    assert one_pass(first, folder, ["a", "b", "c"]) == {}
    wait = pending(first)
    assert (wait.count, wait.folder, wait.exit_code) == (3, str(folder), 3)
    lines = requests(folder, 1)
    assert [line["body"]["messages"][0]["content"] for line in lines] == ["a", "b", "c"]
    assert all((line["method"], line["url"]) == ("POST", "/v1/chat/completions") for line in lines)
    assert lines[0]["body"]["model"] == "gpt-4o-mini" and lines[0]["body"]["max_tokens"] == 9

    a, _, c = ids(folder, 1)
    (folder / "batch_1_output.jsonl").write_text(answer(c) + "\n" + answer(a) + "\n")
    second = open_models()
    assert one_pass(second, folder, ["a", "b", "c", "d"]) == {"a": f"reply to {a[:6]}", "c": f"reply to {c[:6]}"}
    assert pending(second).count == 2
    assert [line["body"]["messages"][0]["content"] for line in requests(folder, 2)] == ["d"]

    (folder / "my-responses.jsonl").write_text(
        "".join(answer(key) + "\n" for key in (ids(folder, 1)[1], *ids(folder, 2)))
    )
    third = open_models()
    assert set(one_pass(third, folder, ["a", "b", "c", "d"])) == {"a", "b", "c", "d"}
    third.flush_batches()
    assert not (folder / "requests-0003.jsonl").exists()


def test_what_is_written_is_not_written_again(open_models: Open, tmp_path: Path) -> None:
    for count in (2, 2):
        models = open_models()
        one_pass(models, tmp_path, ["a", "b"])
        assert pending(models).count == count
    assert [file.name for file in tmp_path.iterdir()] == ["requests-0001.jsonl"]
    models = open_models()
    one_pass(models, tmp_path, ["a", "a", "c", "c"])
    assert pending(models).count == 2
    assert pending(models).count == 2
    assert len(ids(tmp_path, 2)) == 1 and not (tmp_path / "requests-0003.jsonl").exists()


def test_nothing_asked_nothing_written(open_models: Open, tmp_path: Path) -> None:
    models = open_models()
    models.chat(f"batch:gpt-5@{tmp_path / 'never'}", ACCOUNT)
    models.flush_batches()
    assert not (tmp_path / "never").exists()


def test_broken_lines_are_counted_and_named(open_models: Open, tmp_path: Path) -> None:
    models = open_models()
    one_pass(models, tmp_path, ["a", "b", "c"])
    pending(models)
    a, b, c = ids(tmp_path, 1)
    lines = [answer(a), "not json", json.dumps({"custom": b}), "", json.dumps([1]), answer(c)[:40]]
    (tmp_path / "x_output.jsonl").write_text("\n".join(lines))
    models = open_models()
    assert list(one_pass(models, tmp_path, ["a", "b", "c"])) == ["a"]
    problems = models.problems()
    assert [problem.split(": ")[0].rpartition("/")[2] for problem in problems] == [
        f"x_output.jsonl:{number}" for number in (2, 3, 5, 6)
    ]
    assert "4 lines of answers could not be read: " in str(pending(models)) and "x_output.jsonl:2" in problems[0]


@pytest.mark.parametrize(
    "fail",
    [
        expired,
        lambda key: answer(key, 429, {"error": {"message": "slow down"}}),
        lambda key: answer(key, 500, {}),
        lambda key: answer(key, 200, {"choices": []}),
        lambda key: answer(key, 200, "half of a"),
    ],
    ids=["expired", "429", "500", "no choices", "no object"],
)
def test_what_may_pass_is_asked_three_times(open_models: Open, tmp_path: Path, fail: Callable[[str], str]) -> None:
    for wave in (1, 2, 3):
        models = open_models()
        assert one_pass(models, tmp_path, ["a"]) == {}
        assert pending(models).count == 1
        (key,) = ids(tmp_path, wave)
        (tmp_path / f"{wave}_error.jsonl").write_text(fail(key) + "\n")
    with pytest.raises(ModelError, match=rf"3_error\.jsonl:1: .*failed 3 times.*{key}"):
        one_pass(open_models(), tmp_path, ["a"])
    (tmp_path / "4_output.jsonl").write_text(answer(key))
    assert one_pass(open_models(), tmp_path, ["a"]) == {"a": f"reply to {key[:6]}"}


def test_what_will_not_pass_is_said_and_can_be_asked_again(open_models: Open, tmp_path: Path) -> None:
    models = open_models()
    one_pass(models, tmp_path, ["a"])
    pending(models)
    (key,) = ids(tmp_path, 1)
    (tmp_path / "1_error.jsonl").write_text(answer(key, 404, {"error": {"message": "no such model"}}))
    with pytest.raises(ModelError, match=rf"1_error\.jsonl:1: .*HTTP 404.*no such model.*remove .*{key}"):
        one_pass(open_models(), tmp_path, ["a"])
    for file in tmp_path.iterdir():
        file.unlink()
    models = open_models()
    one_pass(models, tmp_path, ["a"])
    assert pending(models).count == 1


def test_answers_are_paid_once_in_one_log(open_models: Open, tmp_path: Path) -> None:
    folder, log = tmp_path / "batch", tmp_path / "calls.sqlite"
    models = open_models(log_path=log)
    one_pass(models, folder, ["a"])
    pending(models)
    assert models.usage().calls == 0
    (folder / "output.jsonl").write_text(answer(ids(folder, 1)[0]))
    first, second = open_models(log_path=log), open_models(log_path=log)
    one_pass(first, folder, ["a"])
    half_price = (100 * 0.075 + 10 * 0.30) / 1e6
    assert first.paid_usd() == first.usage().cost_usd == pytest.approx(half_price)
    one_pass(second, folder, ["a"])
    assert second.paid_usd() == pytest.approx(half_price)
    assert second.usage().cost_usd == pytest.approx(2 * half_price)
    budget = Budget()
    open_models(log_path=log, budget=budget)
    assert (budget.spent.calls, budget.spent.tokens) == (1, 110)


def test_a_wave_is_kept_within_the_budget(open_models: Open, tmp_path: Path) -> None:
    models = open_models(budget=Budget(calls=2))
    chat = models.chat(f"batch:gpt-4o-mini@{tmp_path}", ACCOUNT)
    for text in ("a", "b"):
        with pytest.raises(PendingError):
            chat.complete(ask(text, max_tokens=9))
    with pytest.raises(BudgetError):
        chat.complete(ask("c", max_tokens=9))
    assert pending(models).count == 2
    (tmp_path / "output.jsonl").write_text("\n".join(answer(key) for key in ids(tmp_path, 1)))
    answered = open_models(budget=Budget(calls=0))
    assert len(one_pass(answered, tmp_path, ["a", "b"])) == 2


def test_equal_requests_are_one_and_reserved_for_once(open_models: Open, tmp_path: Path) -> None:
    models = open_models(budget=Budget(calls=1))
    assert one_pass(models, tmp_path, ["same", "same", "same"]) == {}
    assert pending(models).count == 1 and len(ids(tmp_path, 1)) == 1
    assert one_pass(models, tmp_path, ["same"]) == {}


def test_a_folder_that_cannot_be_written(open_models: Open, tmp_path: Path) -> None:
    models = open_models()
    one_pass(models, tmp_path / "gone" / "batch", ["a"])
    (tmp_path / "gone").touch()
    with pytest.raises(InputError, match="cannot be written"):
        models.flush_batches()


def test_each_model_has_a_file_of_its_own_and_folders_their_own_waves(open_models: Open, tmp_path: Path) -> None:
    models = open_models()
    one_pass(models, tmp_path / "x", ["a"])
    one_pass(models, tmp_path / "x", ["a", "b"], model="gpt-5")
    one_pass(models, tmp_path / "y", ["a"])
    wait = pending(models)
    assert wait.count == 4 and str(tmp_path / "x") in wait.folder and str(tmp_path / "y") in wait.folder
    files = {file: {line["body"]["model"] for line in requests(tmp_path / "x", file)} for file in (1, 2)}
    assert files == {1: {"gpt-4o-mini"}, 2: {"gpt-5"}}
    assert "max_completion_tokens" in requests(tmp_path / "x", 2)[0]["body"]
    assert ids(tmp_path / "x", 1) == ids(tmp_path / "y", 1)


def test_a_wave_over_the_limit_of_the_service_is_split(
    open_models: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groupmem.models.batch._REQUESTS_PER_FILE", 2)
    models = open_models()
    one_pass(models, tmp_path, ["a", "b", "c", "d", "e"])
    assert pending(models).count == 5
    assert [len(ids(tmp_path, wave)) for wave in (1, 2, 3)] == [2, 2, 1]


def test_a_file_is_no_folder(open_models: Open, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="needs a folder"):
        open_models().chat(f"batch:gpt-5@{tmp_path / 'file'}", ACCOUNT)
