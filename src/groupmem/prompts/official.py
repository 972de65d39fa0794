"""The sha256 of official prompt texts that are known, by prompt name: a run that uses one says so by name.

Hashes are of the UTF-8 text without surrounding white space. The texts themselves are their authors' and not in here;
a user lays them over ours with `--prompts DIR`.
"""

_GROUPMEMBENCH_JUDGE = "0585650da63ba4fbd83109897d7228ee8b8af39362c516d118df630224912fd2"

OFFICIAL: dict[str, dict[str, str]] = {
    "judge/system": {_GROUPMEMBENCH_JUDGE: "GroupMemBench, App. LLM Judge Configuration"},
}
