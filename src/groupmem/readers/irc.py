"""IRC logs with reply links made by hand (Kummerfeld et al., "A Large-Scale Corpus for Conversation Disentanglement").

    2004-11-15_03.ascii.txt         [03:01] <nick> text          a message; lines are counted from 0
                                    [03:01]  * nick text         an action
                                    === nick has joined ...      a line of the system: counted, and no message
    2004-11-15_03.annotation.txt    1002 1003 -                  line 1003 answers line 1002; x x begins a conversation

Each file is a channel of its own, for the files of a folder lie years apart. Of several parents the nearest one is
`reply_to`, the others are `extra["also_answers"]`. Lines that nobody annotated have `extra[REPLY_UNKNOWN]`.

Nicknames are people's: they are replaced while reading, as authors and wherever such a word stands in a text, by names
that say nothing ("nick_ab", one for each nickname of the folder), and no real one is kept or reported. Some people are
called like ordinary words; these too become another word, always the same one, so counts of words stay what they were.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from groupmem.errors import InputError
from groupmem.readers import rows
from groupmem.readers.base import Ledger, Loaded, finish
from groupmem.readers.documents import read_bytes
from groupmem.types import Channel, Conversation, Message, Person

EXPECTS = "a folder of IRC logs, DATE_HOUR.ascii.txt each with its DATE_HOUR.annotation.txt"
REPLY_UNKNOWN = "reply_unknown"
"""The key in `Message.extra` that says: whether this message answers another one is not known."""

_LOG, _LINKS = ".ascii.txt", ".annotation.txt"
_SAID = re.compile(r"\[(\d\d):(\d\d)\] (?:<([^ >]+)> ?| +\* +(\S+) ?)(.*)", re.DOTALL)
_SYSTEM = re.compile(r"=== (\S+) (.*)", re.DOTALL)
_RENAMED = re.compile(r"is now known as (\S+)")
_NICK = re.compile(r"[\w\[\]\\`^{}|-]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_HALF_A_DAY = timedelta(hours=12)
_STEP_BACK = timedelta(hours=1)
"""A clock that goes back further has passed midnight or, in logs that count hours to 12, noon."""


def recognises(path: Path) -> bool:
    """Whether it is a folder with such logs."""
    return path.is_dir() and next(path.glob(f"*{_LOG}"), None) is not None


def read(folder: Path) -> Loaded:
    """Reads all logs of a folder, by name. Raises InputError for a log without a date in its name or without links."""
    ledger, names = Ledger(), _Names()
    logs = [_Log(path, names, ledger) for path in sorted(folder.glob(f"*{_LOG}"))]
    of_the_system = sum(log.meet() for log in logs)  # every nickname is known before the first text is read
    if of_the_system:
        ledger.note(f"{of_the_system:,} lines of the system (joins, parts, names) are no messages")
    messages = tuple(message for log in logs for message in log.messages())
    conversation = Conversation(
        id=folder.resolve().name,
        messages=messages,
        people=tuple(Person(id=author) for author in dict.fromkeys(message.author for message in messages)),
        channels=tuple(Channel(id=log.channel) for log in logs),
    )
    return finish(conversation, (), ledger)


class _Names:
    """Names that stand for nicknames, given in the order in which people are met."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def of(self, nick: str) -> str:
        """The name of a nickname; IRC takes no account of case."""
        return self._given.setdefault(nick.lower(), f"nick_{_letters(len(self._given))}")

    def knows(self, word: str) -> bool:
        return word.lower() in self._given


class _Log:
    """One file."""

    def __init__(self, path: Path, names: _Names, ledger: Ledger) -> None:
        self._path = path
        self._names = names
        self._ledger = ledger
        self.channel = path.name.removesuffix(_LOG)
        self._lines = read_bytes(path).decode("utf-8", "replace").removesuffix("\n").split("\n")
        self._said = {number: match for number, line in enumerate(self._lines) if (match := _SAID.fullmatch(line))}

    def meet(self) -> int:
        """Names everybody who speaks, comes, goes or changes names; returns how many lines are the system's."""
        system = 0
        for number, line in enumerate(self._lines):
            if number in self._said:
                self._names.of(self._said[number][3] or self._said[number][4])
            elif found := _SYSTEM.fullmatch(line):
                system += 1
                self._names.of(found[1])
                if renamed := _RENAMED.match(found[2]):
                    self._names.of(renamed[1])
            else:
                reason = "neither a message nor a line of the system"
                self._ledger.quarantine(self._path, f"line {number + 1}", reason, "(not shown: it may name a person)")
        return system

    def messages(self) -> Iterator[Message]:
        """The messages in the order of the file; every log of the folder has been met before."""
        parents = self._parents()
        times = self._times()
        for position, (number, match) in enumerate(self._said.items()):
            answered = [self._id(parent) for parent in parents.get(number, ())]
            extra = {"also_answers": answered[1:]} if len(answered) > 1 else {}
            yield Message(
                id=self._id(number),
                channel=self.channel,
                author=self._names.of(match[3] or match[4]),
                text=self._without_nicks(match[5]),
                sent_at=times[number],
                position=position,
                reply_to=answered[0] if answered else None,
                extra=extra if number in parents else {REPLY_UNKNOWN: True},
            )

    def _id(self, number: int) -> str:
        return f"{self.channel}:{number}"

    def _parents(self) -> dict[int, list[int]]:
        """The parents of each annotated line, the nearest first; none where it begins a conversation."""
        links = self._path.with_name(f"{self.channel}{_LINKS}")
        parents: defaultdict[int, set[int]] = defaultdict(set)
        for number, line in enumerate(read_bytes(links).decode("utf-8", "replace").splitlines(), start=1):
            ends = line.split()[:2]
            if len(ends) < 2 or not all(end.isdecimal() and int(end) < len(self._lines) for end in ends):
                self._ledger.quarantine(links, f"line {number}", "not a link between two lines of the log", line)
                continue
            parent, child = sorted(map(int, ends))
            parents[child] |= {parent} - {child} if parent in self._said else set()
        return {child: sorted(found, reverse=True) for child, found in parents.items()}

    def _times(self) -> Mapping[int, datetime]:
        """The time of each message: the minute, on the day of the file's name and, past midnight, on the next one."""
        found = _DATE.match(self.channel)
        if found is None:
            raise InputError(f"{self._path}: name the log after its day, as in 2004-11-15_03{_LOG}")
        times: dict[int, datetime] = {}
        start = latest = datetime.fromisoformat(found[0])
        for number, match in self._said.items():
            moment = start + timedelta(hours=int(match[1]), minutes=int(match[2]))
            while latest - moment > _STEP_BACK:
                start, moment = start + _HALF_A_DAY, moment + _HALF_A_DAY
            latest = max(latest, moment)
            times[number] = rows.aware(moment, self._ledger)
        return times

    def _without_nicks(self, text: str) -> str:
        return _NICK.sub(lambda word: self._names.of(word[0]) if self._names.knows(word[0]) else word[0], text)


def _letters(number: int) -> str:
    """0 -> "aa", 1 -> "ab", ...: letters only, so that a name is masked no more than a name in another chat is."""
    digits = ""
    while number or len(digits) < 2:
        number, digit = divmod(number, 26)
        digits = chr(ord("a") + digit) + digits
    return digits
