"""Words of dates: each has a class, and a value where the class needs one.

Classes in capitals carry a value that rules receive; classes in lower case are only matched. Doubt is a class:
`maybe_WEEKDAY` and `maybe_MONTH` are words that mean something else as often ("sun", "sat", "may", "march").
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Word(NamedTuple):
    kind: str
    value: Any = None


OTHER = "x"

_WEEKDAYS = (
    ("monday", "montag", "lunes", "lundi"),
    ("tuesday", "tue", "tues", "dienstag", "martes", "mardi"),
    ("wednesday", "weds", "mittwoch", "miércoles", "miercoles", "mercredi"),
    ("thursday", "thu", "thur", "thurs", "donnerstag", "jueves", "jeudi"),
    ("friday", "fri", "freitag", "viernes", "vendredi"),
    ("saturday", "samstag", "sonnabend", "sábado", "sabado", "samedi"),
    ("sunday", "sonntag", "domingo", "dimanche"),
)
_MAYBE_WEEKDAYS = {"mon": 0, "wed": 2, "sat": 5, "sun": 6}

_MONTHS = (
    ("january", "januar", "enero", "janvier"),
    ("february", "feb", "februar", "febrero", "février"),
    ("märz", "marzo"),
    ("apr", "abril", "avril"),
    ("mayo",),
    ("juni", "junio", "juin"),
    ("july", "jul", "juli", "julio", "juillet"),
    ("aug", "agosto", "août"),
    ("september", "sept", "septiembre", "septembre"),
    ("october", "oct", "oktober", "octubre", "octobre"),
    ("november", "nov", "noviembre", "novembre"),
    ("december", "dezember", "diciembre", "décembre"),
)
_MAYBE_MONTHS = {
    "jan": 1, "march": 3, "mar": 3, "mars": 3, "april": 4, "may": 5, "mai": 5, "june": 6, "jun": 6, "august": 8,
    "sep": 9, "dec": 12,
}  # fmt: skip

_UNITS = {
    "day": "day día dia jour",
    "week": "week wk woche semana semaine",
    "fortnight": "fortnight",
    "month": "month monat mes mois",
    "quarter": "quarter",
    "year": "year yr jahr año",
    "hour": "hour hr",
    "minute": "minute min",
    "second": "sec",
    "weekend": "weekend wochenende",
}
_PLURAL_UNITS = {
    "day": "days días dias tage tagen jours",
    "week": "weeks wks wochen semanas semaines",
    "fortnight": "fortnights",
    "month": "months monate monaten meses",
    "quarter": "quarters",
    "year": "years yrs jahre jahren años",
    "hour": "hours hrs",
    "minute": "minutes mins",
    "second": "seconds secs",
    "weekend": "weekends",
}

_LITERALS = {
    "that": "that those which any some",
    "every": "every each per cada jeden jede chaque daily nightly weekly mondays tuesdays wednesdays thursdays fridays "
    "saturdays sundays weekdays",
    "the": "the el la le der die das dem den",
    "of": "of de",
    "in": "in en dans",
    "hace": "hace vor",
    "ago": "ago",
    "from": "from starting",
    "now": "now",
    "after": "after",
    "before": "before",
    "since": "since seit desde depuis",
    "by": "by",
    "until": "until till til bis hasta jusqu",
    "through": "through thru",
    "to": "to",
    "between": "between",
    "and": "and",
    "or": "or",
    "on": "on am",
    "at": "at around about @ à",
    "due": "due",
    "for": "for",
    "within": "within",
    "over": "over during throughout",
    "time": "time",
    "rest": "rest",
    "half": "half",
    "oclock": "o'clock oclock uhr",
    "guten": "guten good",
    "named": "black ash cyber fat super patch casual",
    "que": "que",
    "viene": "viene",
    "play": "play",
    "business": "business working work",
    "couple": "couple",
    "few": "few",
    "commencing": "commencing",
    "later": "later",
    "other": "other",
    "w": """
is are was were be isn't works suits looks sounds seems fits please pls we i you it he she they if because but
so with when then as not no has have had will would should could can must won't can't shouldn't couldn't
wouldn't doesn't don't didn't instead too also though anyway latest actually ok okay rather unless once where
my our your his her their
    """,
}

_RELATIONS = {
    "next": "next nächste nächsten nächster nächstes",
    "last": "last previous letzte letzten letzter letztes",
    "past": "past",
    "this": "this current diese diesen dieser dieses este esta",
    "coming": "coming upcoming following kommenden kommende",
}
_LATE_RELATIONS = {"next": "próximo próxima prochain prochaine", "last": "pasado pasada dernier dernière"}

_EDGES = {
    "end": "end close finish ende finales fin",
    "start": "start beginning",
    "early": "early anfang principios début",
    "mid": "mid middle mitte mediados",
    "late": "late",
}
_PARTS = {
    "morning": "morning mornings' vormittag matin",
    "afternoon": "afternoon nachmittag tarde après-midi",
    "evening": "evening abend soir",
    "night": "night nacht noche",
}
_RELATIVE_DAYS = {
    "today": 0, "heute": 0, "hoy": 0, "aujourd'hui": 0, "aujourd’hui": 0,
    "tomorrow": 1, "tmrw": 1, "tmr": 1, "tomo": 1, "2moro": 1, "tomorow": 1, "tommorow": 1, "tommorrow": 1,
    "demain": 1,
    "yesterday": -1, "gestern": -1, "ayer": -1,
    "übermorgen": 2, "après-demain": 2, "overmorrow": 2, "vorgestern": -2, "anteayer": -2, "avant-hier": -2,
}  # fmt: skip
_END_ABBREVIATIONS = {
    "eod": "day", "cob": "day", "eob": "day", "eop": "day", "eow": "week", "eom": "month", "eoq": "quarter",
    "eoy": "year",
}  # fmt: skip

_ORDINAL_WORDS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth", "twentieth",
)  # fmt: skip
_SMALL_NUMBERS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_FOREIGN_NUMBERS = {
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "deux": 2, "trois": 3,
    "quatre": 4, "einer": 1, "einem": 1, "una": 1, "une": 1,
}  # fmt: skip

# Hours from UTC of zone names in use; ET, CT, MT and PT follow the daylight rule of the United States. "CST" is read as
# Central, "IST" as India, "BST" as British Summer Time.
ZONE_HOURS = {
    "utc": 0.0, "gmt": 0.0, "z": 0.0, "wet": 0.0, "bst": 1.0, "west": 1.0, "cet": 1.0, "cest": 2.0, "eet": 2.0,
    "eest": 3.0, "msk": 3.0, "gst": 4.0, "ist": 5.5, "sgt": 8.0, "hkt": 8.0, "awst": 8.0, "jst": 9.0, "kst": 9.0,
    "aest": 10.0, "aedt": 11.0, "nzst": 12.0, "nzdt": 13.0, "est": -5.0, "edt": -4.0, "cst": -6.0, "cdt": -5.0,
    "mst": -7.0, "mdt": -6.0, "pst": -8.0, "pdt": -7.0, "brt": -3.0,
}  # fmt: skip
DAYLIGHT_ZONES = {"et": -5.0, "ct": -6.0, "mt": -7.0, "pt": -8.0}

# (month, day), or (month, weekday, number, days after) for those that move.
_HOLIDAYS: dict[str, tuple[int, ...]] = {
    "christmas": (12, 25), "xmas": (12, 25), "halloween": (10, 31), "thanksgiving": (11, 3, 4, 0),
}  # fmt: skip


def _spread(table: dict[str, str], kind: str | None = None) -> dict[str, Word]:
    """Word to class from "class: words"; with `kind` the key is the value instead."""
    return {
        word: Word(kind, key) if kind else Word(key)
        for key, words in table.items()
        for word in words.split()
    }  # fmt: skip


def _numbers() -> dict[str, Word]:
    found = {word: Word("WORDNUM", number) for number, word in enumerate(_SMALL_NUMBERS, start=1)}
    for ten, word in enumerate(_TENS, start=2):
        found[word] = Word("WORDNUM", ten * 10)
        for one, small in enumerate(_SMALL_NUMBERS[:9], start=1):
            found[f"{word}-{small}"] = Word("WORDNUM", ten * 10 + one)
    return found | {word: Word("WORDNUM", number) for word, number in _FOREIGN_NUMBERS.items()}


def _names() -> dict[str, Word]:
    found = {name: Word("WEEKDAY", index) for index, names in enumerate(_WEEKDAYS) for name in names}
    found |= {name: Word("maybe_WEEKDAY", index) for name, index in _MAYBE_WEEKDAYS.items()}
    found |= {name: Word("MONTH", index) for index, names in enumerate(_MONTHS, start=1) for name in names}
    return found | {name: Word("maybe_MONTH", index) for name, index in _MAYBE_MONTHS.items()}


LEXICON: dict[str, Word] = {
    **_spread(_LITERALS),
    **_spread(_RELATIONS, "REL"),
    **_spread(_LATE_RELATIONS, "RELPOST"),
    **_spread(_UNITS, "UNIT"),
    **_spread(_PLURAL_UNITS, "UNITS"),
    **_spread(_EDGES, "EDGE"),
    **_spread(_PARTS, "PART"),
    **_numbers(),
    **_names(),
    **{word: Word("ORDWORD", number) for number, word in enumerate(_ORDINAL_WORDS, start=1)},
    **{word: Word("RELDAY", shift) for word, shift in _RELATIVE_DAYS.items()},
    **{word: Word("EO", unit) for word, unit in _END_ABBREVIATIONS.items()},
    **{word: Word("ZONE", word) for word in (*ZONE_HOURS, *DAYLIGHT_ZONES) if word not in ("z", "west", "wet")},
    **{word: Word("HOLIDAY", rule) for word, rule in _HOLIDAYS.items()},
    **{f"q{number}": Word("QUARTER", (number, 3)) for number in range(1, 5)},
    **{f"h{number}": Word("QUARTER", (number, 6)) for number in range(1, 3)},
    "s": Word("SHORT", "second"), "h": Word("SHORT", "hour"), "d": Word("SHORT", "day"), "w": Word("SHORT", "week"),
    "a": Word("A", 1), "an": Word("A", 1),
    "tonight": Word("TONIGHT", 0), "mañana": Word("MANANA", 0), "morgen": Word("MORGEN", 0), "hier": Word("HIER", 0),
    "midweek": Word("MIDWEEK", 0),
    "noon": Word("CLOCK", (12, 0)), "midday": Word("CLOCK", (12, 0)), "midnight": Word("CLOCK", (0, 0)),
    "am": Word("AMPM", 0), "a.m": Word("AMPM", 0), "pm": Word("AMPM", 12), "p.m": Word("AMPM", 12),
    "bday": Word("UNIT", "business_day"), "bdays": Word("UNIT", "business_day"),
}  # fmt: skip

# A sentence without any of these, and without a digit that looks like a date, has none.
TRIGGERS = frozenset(
    word
    for word, (kind, _) in LEXICON.items()
    if kind in {
        "WEEKDAY", "maybe_WEEKDAY", "MONTH", "maybe_MONTH", "UNIT", "UNITS", "RELDAY", "EO", "QUARTER", "TONIGHT",
        "MIDWEEK", "CLOCK", "HOLIDAY", "PART", "oclock", "MANANA", "MORGEN", "HIER",
    }
)  # fmt: skip
