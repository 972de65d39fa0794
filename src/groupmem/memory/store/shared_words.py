"""How many words statements have in common: which of many earlier ones are worth a comparison with a new one."""

from __future__ import annotations

from collections.abc import Sequence

from groupmem.memory.notes.records import Notes

_MOST_NUMBERED = 1 << 12


class SharedWords:
    """The words of statements as sets of bits, of which two are compared in one operation."""

    def __init__(self) -> None:
        self._bit_of: dict[str, int] = {}
        self._bits: dict[int, int] = {}

    def missing(self, rows: Sequence[int]) -> list[int]:
        """Those of `rows` that have to be added before they can be compared."""
        if len(self._bit_of) > _MOST_NUMBERED:  # with the words the sets grow, also of statements that have few
            self.forget()
        return [row for row in rows if row not in self._bits]

    def add(self, row: int, notes: Notes) -> None:
        """Remembers the words of a statement."""
        self._bits[row] = self._of(notes)

    def drop(self, row: int) -> None:
        """Forgets a statement."""
        self._bits.pop(row, None)

    def forget(self) -> None:
        """Forgets all statements and words."""
        self._bit_of.clear()
        self._bits.clear()

    def most_in_common(self, row: int, rows: Sequence[int], limit: int) -> list[int]:
        """The `limit` of `rows` with most words in common with a statement, of equals the later; in their order."""
        words, size = self._bits[row], len(rows)
        common = map(int.bit_count, map(words.__and__, map(self._bits.__getitem__, rows)))
        ranked = sorted([count * size + place for place, count in enumerate(common)], reverse=True)
        return [rows[place] for place in sorted([rank % size for rank in ranked[:limit]])]

    def _of(self, notes: Notes) -> int:
        """What a message is about, and the values that it gives."""
        values = [value for subject in notes.subjects for value in subject.values]
        known, bits = self._bit_of, 0
        for word in (*notes.terms, *notes.parent_terms, *values):
            bit = known.get(word)
            if bit is None:
                bit = known[word] = 1 << len(known)
            bits |= bit
        return bits
