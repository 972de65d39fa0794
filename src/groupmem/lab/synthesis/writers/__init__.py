"""Writers: from a `MessagePlan` to a text. What each field of the plan asks of the text is said here.

`groupmem synth make --writer grammar` makes `groupmem.lab.synthesis.writers.grammar.GrammarWriter(pack, seed)` and
calls `write(plan, situation, rng)` once per message, in the order of time, with a `random.Random` seeded for that
message. A writer keeps no state between calls (a cache of something derived from the pack is no state) and reads no
clock.

**Who and where.** `author` writes to `audience` (first the person addressed) in `place`; it speaks as its role, tone,
style and expertise do. The audience's roles are there to adapt to: to a listener of the same role jargon is natural, to
others a gloss may follow; the *words for concepts are already chosen* inside `subject` and `value` (also listed in
`mention.words`) and must be kept. `place.stage` and `closure` colour how finished things sound.

**What.** `mentions` are the facts of the message. Each non-optional one must be stated so that its `value` stands in
the text letter by letter (case aside); several may share a sentence. `how` says in which manner:

    state     it is so, said for the first time here           confirm   it is still so
    propose   suggest the value; nothing is settled            argue     speak for the value in an open argument
    dispute   speak against the value                          reverse   from now on the value instead of `was`
    keep      the argument is over: the value stays, not `was` ask       ask for it: value is None, name the subject
    report    say it for `person_name`, who is not the author ("Ana told me she prefers ..."); see `plan.reporting`
    refer     in passing, from somewhere else                  mistake   state it with full confidence; it is wrong

By kind, with subject S (reads after "the") and value V: deadline: S is due V (by V); owner: V owns S; status: S is V;
decision: we go with V for S; requirement: S must V; blocker: S is waiting on V; approval: V signed off S; number: S is
V; preference: for S, P prefers V; belief: P thinks S is V. With `self_value` V is the author: first person, no name.

`points` is matter to weave in, each phrase with the grammar that `packs` gives it: the reason and trigger of a change
(these are `required`: letter by letter, case aside), a risk or evidence to push back with, an experience to advise
from.

**Acts.** A reply answers its parent: `parent_act`, `parent_mentions`, `parent_points` and `situation.parent` say what
that was. `answer` gives what the parent asked for; `acknowledge` takes note or agrees; `add` brings the next fact;
`ask` asks back; `push_back` disagrees in the manner of `disagreement`, in substance; `defend` stands by the author's
own view; `commit` takes something on; `report` speaks for somebody else; `correct` sets a mistake of the parent right;
`propose_change`, `argue_for`, `argue_against`, `settle_change`, `keep` are the steps of an argument over a standing
decision (`mentions[0]` is what it is about, the same for all steps with one `change`); `close` pulls things together;
`advise` is a colleague of the same role from `source_project` bringing its experience. Posts have their post type as
act.

**Manner.** `noise` with a "mistake" mention: state the mistake, signal no doubt; "off_topic_drift" has no mention:
drift. `imperfection` mars the text, never the `value` surfaces. `ultra_short`: 1-6 words, over `length` and everything
else but the mentions. `mention_parent`: "@" and the addressee's first name. `url` must stand in the text.
`cross_reference`: refer to that sibling phase by name; its mention is optional. `sub_issue` is what the message turns
around when its facts leave room. `length` bounds sentences and words.

**Back.** `Written.stated` lists every mention that the text really states, with the exact substring; for an "ask" the
substring that names the subject; for `self_value` the first-person words. It is checked: a missing mention that is not
optional is an error of the writer.
"""
