"""The words of the cues: general English, and nothing of any topic.

`BY_STEM` are verbs and nouns by lemma (any inflection with the same stem counts), `BY_WORD` words as they stand,
`PAIRS` two words in a row, written with a hyphen. `VERBS` start an imperative; `NOUNS_TOO` do so only before a word of
`AFTER_IMPERATIVE`.
"""

from __future__ import annotations

from groupmem.memory.languages import word_set

BY_STEM: dict[str, str] = {
    "change": """
move shift push postpone delay reschedule change switch swap replace revert reverse undo scrap cancel drop
overrule supersede withdraw bump raise lower increase decrease reduce extend shorten loosen tighten double slip
adjust amend update rework reopen reconsider rethink retract rescind pivot override migrate rename
""",
    "decide": """
decide decision agree settle finalise finalize lock approve adopt choose chosen pick select opt resolve confirm
conclude verdict ruling mandate
""",
    "propose": """
propose proposal suggest suggestion recommend idea option draft consider pitch float alternative
""",
    "hedge": """
maybe perhaps might could probably possibly guess wonder unsure seem roughly tentative hopefully whether
""",
    "stance": """
think believe feel reckon suspect doubt convinced view argue disagree object fear worry trust stand
""",
    "prefer": """
prefer preference favour favor want wish love hate vote insist keen lean dislike
""",
    "require": """
require mandatory need
""",
    "promise": """
promise commit pledge volunteer
""",
    "due": """
due deadline
""",
}

BY_WORD: dict[str, str] = {
    "i": """
i i'm i've i'd i'll my mine me im ive myself
""",
    "i_will": """
i'll
""",
    "i_would": """
i'd
""",
    "we": """
we we'll we're we've we'd our ours us everyone everybody
""",
    "will": """
will i'll we'll you'll they'll he'll she'll it'll that'll won't gonna
""",
    "you": """
you your you're you'll yours
""",
    "not": """
not never no don't doesn't didn't isn't aren't won't can't cannot wasn't weren't haven't hasn't nor neither none
""",
    "link": """
is are be becomes become goes go stays stay remains remain starts start begins begin ends end closes close gets
get opens runs moves lands means counts it's that's uses use takes keeps keep drops needs has
""",
    "past": """
was were had did went came got said told found saw
""",
    "change": """
instead anymore
""",
    "now": """
now currently already
""",
    "decide": """
final official officially settled
""",
    "please": """
please pls plz kindly
""",
    "hedge": """
would should if unless almost
""",
    "should": """
should ought
""",
    "require": """
must shall required
""",
    "opine": """
opinion imo imho
""",
    "judge": """
wrong better worse best worst bad terrible awful great ugly scary overkill pointless useless risky unsafe safer
silly sensible unreasonable unacceptable indefensible brilliant mistake annoying
""",
    "state": """
done merged deployed shipped finished completed fixed ready pending failing failed broken passed published
posted closed released verified resolved landed running underway uploaded installed restored expired reverted
completing unhealthy recovered
""",
    "block": """
blocked blocker blockers blocking blocks stuck waiting depends dependency bottleneck prevents gating impediment
""",
    "own": """
owns owner owners responsible assigned assignee accountable dri maintainer
""",
    "approve": """
agreed ok okay yes yep yeah sure fine deal lgtm sgtm approved acceptable understood
""",
    "wh": """
what who when where which why how whose
""",
    "rule": """
every each all everyone everything everybody nothing nobody only any always no whenever
""",
    "lead": """
lead leads leading handles drives holds heads covers
""",
}

PAIRS: dict[str, str] = {
    "change": """
no-longer rather-than back-to after-all scratch-that strike-that forget-that forget-what second-thought
second-thoughts instead-of change-of down-to down-from up-from take-back taking-back gave-up give-up used-to
any-more u-turn brought-forward bring-forward roll-back rolled-back goes-back go-back going-back
""",
    "decide": """
go-with going-with went-with stick-with sticking-with land-on landed-on sign-off signed-off it-is is-now
from-now as-of we-use we-take we-keep we-drop closing-the goes-to go-to we-go start-at
""",
    "propose": """
what-if how-about could-we can-we shall-we should-we why-not let's-say
""",
    "hedge": """
not-sure kind-of sort-of would-be no-idea
""",
    "prefer": """
i'd-rather would-rather i'd-like would-like i'd-go i'd-want i'd-take i'd-keep rather-have i'd-vote
""",
    "commit": """
i'm-going i-will i'm-on we-will leave-it i'm-taking i-promise am-on i'm-doing let-me
""",
    "take": """
will-do on-it i-can i-take mine-then i've-got
""",
    "request": """
can-you could-you would-you will-you need-you want-you ask-you remind-me tell-me give-me bring-me let-us
""",
    "own": """
in-charge takes-over take-over took-over point-person on-point is-mine mine-then i-own we-own to-own belongs-to
""",
    "block": """
waiting-on waiting-for hard-stop hold-up holding-up depended-on depend-on
""",
    "approve": """
sounds-good works-for fine-by go-ahead ship-it looks-good good-with happy-with agree-with can-live
""",
    "require": """
has-to have-to needs-to need-to
""",
    "due": """
no-later the-latest
""",
    "opine": """
still-say still-believe my-view my-take in-my i-still against-it for-it my-position i-stand
""",
    "state": """
in-progress in-review up-and is-up is-down went-down is-live are-live went-live is-out are-up in-place back-up
is-back are-back is-complete is-open still-open is-in
""",
}

VERBS = word_set("""
add allow announce arrange ask assign avoid bring buy choose clean come commit compare complete confirm connect
consider continue create define delete deploy describe disable discuss don't email enable ensure escalate
explain extend find fix follow forget get give go grab handle have ignore include increase inform install
investigate invite join keep leave let listen make merge notify pick prepare put raise read rebase reduce refer
remember remind remove rename reopen repeat replace rerun reschedule reset resolve restart restore retry revert
revisit rewrite roll say see send separate ship show skip speak split stay stop submit swap sync take talk tell
tidy try turn upgrade use validate verify wait walk write
""")

NOUNS_TOO = word_set("""
approve book freeze reply bump call cancel change check clear close contact copy cut delay document double draft
drop edit estimate export file fill finish flag focus forward help hold import limit list look lower mail mark
measure meet move mute name open order page pause pin ping plan post present push record report request return
review rotate run save schedule search set share sign sort start store stretch switch tag test track trigger
update upload watch
""")

AFTER_IMPERATIVE = word_set("""
a an the this that these those it them me us him her my your our their his its all any every each to on in at
with for back up out down off over one two both please not into from by if only everything something anything
somebody someone until before after when what who how as away together through
""")
