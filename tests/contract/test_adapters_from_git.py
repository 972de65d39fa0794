"""Adapters whose code comes from git, where their checkout is at hand; skipped with what the doctor says where not."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from contract_cells import ids, said
from isolated_cells import Laboratory, Peer, stand_in

from groupmem.errors import GroupMemError, ModelError
from groupmem.lab.systems.isolated.adapter import Adapter, adapter_names, find_adapter
from groupmem.lab.systems.isolated.environment import environment_folder, installed
from groupmem.lab.systems.isolated.inventory import examine
from support.openai_server import Reply

FROM_GIT = [name for name in adapter_names() if find_adapter(name).manifest.checkout]
CRANE = said(1, "The crane inspection moved to Thursday because of the storm", "User_3")


@pytest.fixture
def all_installed(request: pytest.FixtureRequest) -> None:
    """For tests that ingest: packages take long to start."""
    if not request.config.getoption("--installed", default=False):
        pytest.skip("one of make test-systems")


def at_hand(name: str) -> Adapter:
    adapter = find_adapter(name)
    if installed(adapter) is None:
        finding = next(iter(examine(adapter)))
        pytest.skip(f"{name} is {finding.problem}: {finding.remedy}")
    return adapter


@pytest.mark.parametrize("name", FROM_GIT)
def test_it_starts_and_has_no_more_than_the_named_part_of_its_checkout(name: str) -> None:
    adapter = at_hand(name)
    needed, environment = adapter.manifest.checkout, installed(adapter)
    assert needed is not None
    assert environment is not None
    assert environment.checkout == needed.commit
    assert next(iter(examine(adapter))).problem is None
    copied = {path.name for path in (environment_folder(adapter) / "checkout").iterdir()}
    assert copied - {"__pycache__"} == {Path(path).parts[0] for path in needed.paths}


@pytest.mark.usefixtures("all_installed")
def test_what_a_model_writes_is_never_run_by_hipporag(tmp_path: Path) -> None:
    at_hand("hipporag")
    mark = tmp_path / "it-was-run"
    call = f'__import__("pathlib").Path("{mark}").touch()'
    written = iter([f'{{"named_entities": [{call}]}}', f'{{"triples": [["a", "b", {call}]]}}'])
    reply = stand_in(find_adapter("hipporag"))
    with closing(Laboratory(Peer("hipporag", reply=lambda _: Reply(next(written, ""))))) as laboratory:
        with laboratory.cell() as cell:
            cell.ingest([CRANE])
            assert ids(cell.recall("What moved?")) == [CRANE.id]
            assert cell.system.figures()["empty_extractions"] == 1
        assert next(written, None) is None
        with laboratory.talking(reply) as server, laboratory.cell(chat_url=server.url) as cell:
            cell.ingest([CRANE])
            assert cell.system.figures()["empty_extractions"] == 0
    assert not mark.exists()


@pytest.mark.usefixtures("all_installed")
def test_an_ingest_of_hipporag_that_failed_leaves_no_empty_facts_behind() -> None:
    """The package stores an empty result for a call that failed, and would never ask again."""
    at_hand("hipporag")
    with closing(Laboratory(Peer("hipporag", reply=stand_in(find_adapter("hipporag"))))) as laboratory:
        store = laboratory.new_store()
        failing = laboratory.talking(lambda _: Reply(status=503, body={"error": {"message": "busy"}}))
        with (
            pytest.raises(GroupMemError, match="busy"),
            failing as server,
            laboratory.cell(store=store, chat_url=server.url) as cell,
        ):
            cell.ingest([CRANE])
        with laboratory.cell(store=store) as cell:
            cell.ingest([CRANE])
            assert ids(cell.recall("What of the crane inspection?")) == [CRANE.id]
            assert cell.system.figures()["empty_extractions"] == 0


@pytest.mark.usefixtures("all_installed")
def test_notes_of_amem_that_changed_others_are_embedded_anew() -> None:
    """After `consolidate_every` of them the index holds the texts of all notes, which the search then finds."""
    at_hand("amem")
    messages = [CRANE, *(said(n, f"Locker {n} holds the spare part number {n * 7}", "User_4") for n in range(2, 6))]
    with (
        closing(
            Laboratory(Peer("amem", "consolidate_every=1,keywords=off", stand_in(find_adapter("amem"))))
        ) as laboratory,
        laboratory.cell() as cell,
    ):
        cell.ingest(messages)
        assert ids(cell.recall("Who holds spare part number 35?", limit=1)) == ["Msg_5"]
        assert CRANE.id in ids(cell.recall("When is the crane inspection?", limit=2))


@pytest.mark.usefixtures("all_installed")
def test_a_message_that_amem_gets_no_note_for_is_counted_and_the_others_are_found() -> None:
    at_hand("amem")
    played = stand_in(find_adapter("amem"))
    poison = said(2, "poison", "User_4")
    peer = Peer("amem", reply=lambda request: Reply("null") if "poison" in str(request.body) else played(request))
    with closing(Laboratory(peer)) as laboratory, laboratory.cell() as cell:
        cell.ingest([CRANE, poison, said(3, "The spare valve sits in locker nine", "User_5")])
        assert ids(cell.recall("Where is the spare valve?", limit=1)) == ["Msg_3"]
        assert poison.id not in ids(cell.recall("What is said?"))
        assert "messages left out, as no reply of the model was of use: 1" in cell.system.notes()
        assert cell.system.figures()["notes"] == 2


@pytest.mark.usefixtures("all_installed")
def test_hipporag_gives_all_ids_of_a_text_and_fails_no_question_but_that_of_a_failed_call() -> None:
    at_hand("hipporag")
    played = stand_in(find_adapter("hipporag"))
    busy = Reply(status=503, body={"error": {"message": "busy"}})
    peer = Peer("hipporag", reply=lambda request: busy if "Broken?" in str(request.body) else played(request))
    twice = [said(n, "I will repaint the lifeboat", "User_4") for n in (2, 3)]
    with closing(Laboratory(peer)) as laboratory, laboratory.cell() as cell:
        cell.ingest([CRANE, *twice])
        assert cell.system.figures()["chunks"] == 2
        with pytest.raises(ModelError, match="busy"):
            cell.system.recall("Broken?", asker=None, limit=2, asked_at=None)
        found = cell.system.recall("Who will repaint the lifeboat?", asker=None, limit=2, asked_at=None)
        assert set(ids(found.passages)) == {"Msg_2", "Msg_3"}
