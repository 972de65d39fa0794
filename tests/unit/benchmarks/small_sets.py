"""Small files in the layouts of the data sets, with invented content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def turn(dia_id: str, **more: Any) -> dict[str, Any]:
    return {"speaker": "Ada", "dia_id": dia_id, "text": f"said in {dia_id}", **more}


def sample(**more: Any) -> dict[str, Any]:
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_2": [turn("D2:1"), turn("D2:2")],
            "session_2_date_time": "12:05 am on 25 May, 2023",
            "session_10": [turn("D10:1")],
            "session_10_date_time": "12:30 pm on 1 June, 2023",
            "session_1": [turn("D1:1", img_url=["https://pictures.example/1"]), turn("D1:12")],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_11_date_time": "9:00 am on 2 June, 2023",
        },
        "qa": [{"question": "When?", "answer": 2022, "evidence": ["D1:1"], "category": 2}],
        **more,
    }


def locomo_folder(tmp_path: Path, **more: Any) -> Path:
    write_json(tmp_path / "locomo" / "locomo1.json", [sample(**more)])
    return tmp_path / "locomo"


def beam_folder(tmp_path: Path) -> Path:
    turns = [
        {"id": 0, "role": "user", "content": "Plan it ->-> keep this\nnow ->-> 1,1)", "time_anchor": "March-05-2024"},
        {"id": 1, "role": "assistant", "content": "Here is a plan ->-> step one"},
        {"id": 2, "role": "user", "content": "Thanks!", "index": "1,2"},
    ]
    sessions = [
        {"batch_number": 1, "turns": [turns[:2], turns[2:]]},
        {"batch_number": 2, "turns": [[{"id": 3, "role": "user", "content": "Hi ->-> 2,N/A"}]]},
    ]
    probes = {
        "summarization": [{"question": "Sum up.", "ideal_summary": "A plan.", "source_chat_ids": [[0, 1], 1, 9]}],
        "knowledge_update": [
            {"question": "Which?", "answer": "That.", "rubric": ["that"], "source_chat_ids": {"old": [0], "new": [2]}}
        ],
        "instruction_following": [{"question": "Do.", "expected_compliance": "It does.", "source_chat_ids": [2]}],
        "abstention": [{"question": "Who?", "ideal_response": "Not said."}],
        "temporal_reasoning": [{"question": "How long?", "answer": "46 days"}] * 2,
    }
    write_json(tmp_path / "100K" / "17" / "chat.json", sessions)
    write_json(tmp_path / "100K" / "17" / "probing_questions" / "probing_questions.json", probes)
    return tmp_path


def groupmembench_folder(tmp_path: Path, *domains: str) -> Path:
    row = {"msg_node": "Msg_1", "author": "User_1", "content": "hi", "timestamp": "2025-07-01T10:00:00"}
    asked = {"id": "multi_hop_1", "question": "?", "answer": "hi", "asking_user_id": "User_9"}
    for domain in domains:
        name = f"synthetic_domain_channels_rolevariants_{domain}.json"
        write_json(tmp_path / "data" / "final" / domain / name, {"general": [row]})
        write_json(tmp_path / "questions" / domain / "multi_hop.jsonl", asked)
    return tmp_path
