"""Function words: the English ones that carry no content, and those that tell which other language a text is in."""

from __future__ import annotations

import re


def word_set(listed: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(listed.split())


STOPWORDS_ENGLISH = word_set("""
a about above after again against ain't all am an and any are aren't as at be because been before being
below between both but by can can't cannot could couldn't d did didn't do does doesn't doing don't down
during each few for from further had hadn't has hasn't have haven't having he he'd he'll her here hers
herself him himself his how i i'd i'll i'm i've if in into is isn't it it'd it'll its itself just let ll m
me more most my myself no nor not of off on once only or other ought our ours ourselves out over own re s
same shan't she she'd she'll should shouldn't so some such t than that the their theirs them themselves then
there these they they'd they'll they're they've this those through to too under until up ve very was wasn't
we we'd we'll we're we've were weren't what when where which while who whom why will with won't would
wouldn't you you'd you'll you're you've your yours yourself yourselves also
""")

# Words that are frequent in one language, and rare or different in English and in the other languages listed.
FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "german": word_set("""
der das und ist nicht ich wir ihr sie ein eine einen einem den dem des zu mit auf für von im auch noch schon
aber oder wenn dass wird werden haben hat sind bei nach aus wie kann können müssen bitte heute morgen
gestern
"""),
    "french": word_set("""
le les des une est pas je nous vous ils elle dans pour avec sur qui que ne ce cette mais ou où sont être
avoir très plus du au aux on fait faire demain hier aujourd'hui merci
"""),
    "spanish": word_set("""
el los las una es no que de en y por con para pero como más está están fue ser hay muy también del al lo se
su mañana hoy ayer gracias cuándo qué quién cómo dónde ya
"""),
    "portuguese": word_set("""
o os um uma é não que em e por com para mas como mais está são foi ser há muito também do da dos das ao na
no se você nós amanhã hoje ontem obrigado quando
"""),
    "italian": word_set("""
il gli una è non che di per con ma come più sono essere molto anche del della dei nel nella si abbiamo ho
hai domani oggi ieri grazie quando perché questo questa
"""),
    "dutch": word_set("""
de het een en niet ik wij jullie zij is van voor met op aan ook nog maar als dat wordt worden hebben heeft
zijn bij naar uit hoe kan moet graag vandaag morgen gisteren
"""),
}

CODES = {"german": "de", "french": "fr", "spanish": "es", "portuguese": "pt", "italian": "it", "dutch": "nl"}

_WORD = re.compile(r"[^\W\d_]+")
_ASCII_GAPS = {code: " " for code in range(128) if not chr(code).isalpha()}
_ENGLISH_SIGNS = word_set("""
the and of to is are was were it you that this have has not with for we they be on at from i my our what who
when how which will can do does did
""")
_SIGNS = (
    frozenset().union(*FUNCTION_WORDS.values()) - _ENGLISH_SIGNS - {"no", "de", "o", "e", "y", "on", "a", "in", "do"}
)
FEWEST_SIGNS = 2
"""Words that are signs of another language, below which a text is taken for English."""


def signs_in(lowered: str) -> frozenset[str]:
    """The words of `lowered` (lower case) that are signs of a language other than English."""
    return _SIGNS.intersection(_WORD.findall(lowered))


def foreign_language(lowered: str) -> str | None:
    """The language whose function words outnumber the English ones in `lowered` (lower case), or None."""
    words = set(lowered.translate(_ASCII_GAPS).split() if lowered.isascii() else _WORD.findall(lowered))
    if len(words & _SIGNS) < FEWEST_SIGNS:
        return None
    counts = {language: len(words & known) for language, known in FUNCTION_WORDS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > len(words & _ENGLISH_SIGNS) else None
