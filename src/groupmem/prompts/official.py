"""The sha256 of official prompt texts that are known, by prompt name: a run that uses one says so by name.

Hashes are of the UTF-8 text without surrounding white space. The texts themselves are their authors' and not in here;
a user lays them over ours with `--prompts DIR`. One that marks its slots in its authors' way is filled in that way.
"""

_GROUPMEMBENCH_JUDGE = "0585650da63ba4fbd83109897d7228ee8b8af39362c516d118df630224912fd2"
_BEAM_JUDGE = "e180d1c458b53618ae042362e15cb1749871303dc384a2f060c6b382d96b57c2"
_BEAM_JUDGE_2025 = "92f59d403e7a697ab2a240b74b5a30e42f0b5c929c89adb63461ca1e7e07bb2e"

OFFICIAL: dict[str, dict[str, str]] = {
    "judge/system": {_GROUPMEMBENCH_JUDGE: "GroupMemBench, App. LLM Judge Configuration"},
    "judge/rubric_item": {
        _BEAM_JUDGE: "BEAM at b2da22eac88b, the judge of rubric items",
        _BEAM_JUDGE_2025: "BEAM at b2a3ee8ba12d, the judge of rubric items; its line for the question stays unfilled",
    },
}

_BEAM_SLOTS = {"<rubric_item>": "rubric_item", "<llm_response>": "response"}
OFFICIAL_SLOTS: dict[str, dict[str, str]] = {_BEAM_JUDGE: _BEAM_SLOTS, _BEAM_JUDGE_2025: _BEAM_SLOTS}
"""How a text, by its sha256, marks its slots: the mark, and the slot of ours that it stands for."""
