"""Every number of recall, in one record, and the parts that can be switched off to see what each adds.

The values were found on public conversations of six kinds (a two-party diary, meetings, film dialogue, an assistant's
long chats, and group chats with threads); docs/memory.md has the table. Neighbouring values give nearly the same
figures: where a better figure on one kind cost another, the value that served both was kept.
"""

from __future__ import annotations

from groupmem.types import Record


class Weights(Record, frozen=True, kw_only=True):
    """Scores are in shares of the best message for a question: 1 is as near as any message comes by itself."""

    # -- what a message says ---------------------------------------------------------------------------------------
    words: float = 0.5
    """Share of shared words against shared meaning. Equal trust: names and numbers need words, paraphrases meaning."""
    words_covered: float = 0.4
    """Share of what a question says by its words, counted by rarity, that the best message must have for words to count
    in full beside meaning. Who asks in words of their own shares a word with some message by chance: it is the best by
    words, and does not answer."""
    answered: float = 0.7
    """Share of its nearness by meaning that a message has which answers another ("yes, the second one")."""
    context: float = 0.8
    """Share of the words of a message with what it answers and its labels, against its own words alone. Most messages
    of a chat cannot be understood, and so not be found, without what they answer."""
    topic_name: float = 0.2
    """How near the name of the topic is to the question: a topic's name is the one summary that people write."""
    day: float = 0.3
    """Share of a full word that a day counts which the question names, where a message names the same one. Within a
    description it counts in full; elsewhere it is as often the day on which something was said."""
    question_words: float = 0.5
    """How much of the direction that all questions share is taken out of a question before it is compared: "when did"
    draws messages that ask, where those that tell are wanted."""

    vocabulary: float = 0.8
    """Share of a full word that the words have which others say for what the asker's role calls otherwise."""
    vocabulary_sure: float = 2.0
    """Strength (in rare frames) from which on such words are as good as any."""
    vocabulary_meaning: float = 0.6
    vocabulary_meant: float = 1.5
    vocabulary_most: int = 3
    """How far the meaning of a question is moved from a phrase to what others say for it, from which strength on, and
    to how many of these."""
    vocabulary_shared: float = 0.2
    """Share of a full word that the asker's own word has there which people of other roles say."""

    # -- where a message stands ------------------------------------------------------------------------------------
    nearby: float = 0.27
    """From the previous and the next message, in channels without replies: the answer stands beside the question."""
    nearby_threaded: float = 0.1
    """The same in channels with replies, where the neighbour may belong to another thread."""
    child: float = 0.1
    """From the best answer."""
    long_words: int = 80
    """A message of more words takes proportionally less from around it: it speaks for itself."""
    topic: float = 0.3
    """From the best message of the same topic (without topics: of the same thread)."""

    # -- who asks, and whom about ----------------------------------------------------------------------------------
    named: float = 0.12
    """For messages of a person whom the question names. What is asked about somebody was mostly said by them, but not
    always: a prior that a good match of somebody else's message outweighs."""
    role: float = 0.06
    """The same for a role that is named."""
    own: float = 0.3
    """For the asker's own messages and those that speak of them, where the question is in the first person."""
    channel: float = 0.25
    phase: float = 0.4
    """For messages of the channel and of the phase in which the question places what it asks for."""
    scope: float = 0.1
    """For messages of a phase whose name merely stands in the question, and for those sent in a period it names."""

    # -- second hop ------------------------------------------------------------------------------------------------
    linked: float = 0.2
    """For rare words that the question does not have and the best messages have: a name that stands for what was
    described."""
    linked_hop: float = 1.4
    """For the best pair, or the best continuation of one of the best messages, where the question says that something
    has to be found first: it has several sentences, or describes what it does not name. More than what any message has
    by itself, because of two messages that answer together neither does alone."""
    linked_left: float = 0.5
    """Share of a full word that the question's words have there which the message leaves open."""
    linked_person: float = 0.5
    """Share of a full word that the names of people have there, of whom the message speaks."""
    linked_by_others: float = 0.5
    """What a continuation counts that none of these people wrote."""
    linked_common: float = 0.05
    """Share of all messages beyond which a word of the message leads nowhere."""
    linked_from: int = 3
    linked_of_part: int = 2
    """From how many messages the second hop starts: from the best of all, or where there are parts, from the best of
    each."""
    linked_most: int = 40
    linked_share: float = 0.005
    """How many messages, or which share of all, may have such a word."""
    pair_from: int = 6
    """How many messages are tried as the one that fits a description."""
    pair_named: float = 0.6
    """For messages about the person whom a description names."""
    pair_wrote: float = 0.6
    """Share of it for messages by that person: what somebody approved or looks after, others tell as well."""
    pair_day: float = 0.5
    """For messages that name a day which a description names."""
    pair_quoted: float = 0.3
    """For messages that have all words of what a description quotes."""
    pair_base: float = 0.2
    """What a message counts as an answer that has no word of what is asked: "what do I want?" says next to nothing."""
    pair_specific: float = 2.5
    """Rare words from which on what is asked says all by its words."""
    pair_own: float = 1.0
    """For messages by or about the asker, where the question is in the first person."""
    pair_person: float = 0.7
    """Share of a full link that somebody is of whom one message speaks and whom the other is by or about, where the
    question is about somebody whom it describes ("whoever approved it")."""
    pair_person_aside: float = 0.3
    """The same where it is about something else."""
    pair_itself: float = 0.7
    """Share of a pair that one message counts which fits the description and answers as well."""
    pair_sure: float = 0.7
    """Share of a description that one of a pair must have for the pair to count in full."""
    pair_least: float = 1.5
    """Rare words that a description must have so that anything can be sure."""
    pair_answers: int = 10
    """Among how many of the best an answer is put above the message that led to it."""
    part: float = 1.1
    """How much a message counts that answers one part of a question of several, beside one that answers the whole: that
    one has something of everything and is often what is merely near."""

    # -- what a message states -------------------------------------------------------------------------------------
    decision: float = 0.1
    """For decisions and changes, by their confidence and how well the topic fits."""
    kind: float = 0.2
    """Share of its score that a message gains which makes a statement of the kind that is asked for (who owns, by when,
    how far, what is in the way, who agreed)."""
    asked_date: float = 0.15
    """Share of its score that a message with a date gains where a date is asked for."""
    asked_person: float = 0.2
    """The same for one that names somebody, where a person is asked for."""
    same_date: float = 0.3
    """For a message that names the same days as the question, written in whatever way."""
    quoted: float = 0.4
    """For a message that says what the question quotes."""
    asking: float = 0.1
    """Taken from a message that only asks."""
    replaced: float = 0.8
    """Share of the score of a current statement to which the one it replaced is drawn up, where both are asked for, and
    the proposal that led to it."""
    replaced_by: float = 0.4
    """Likelihood of a supersession from which on the newer statement stands above the older, and is named with it."""
    held_by: float = 0.12
    turned_by: float = 0.06
    """The same for the order alone, where a question asks what holds now or held before, and where it asks about a
    change: what is asked about most likely was changed."""
    changed_by: float = 0.3
    changed_about: float = 0.8
    changed_among: int = 10
    """Confidence from which on something counts as a change whose former statement is not known, share of the words in
    context of that which it must have, and among how many of the best it is put above that."""
    turns: int = 6
    turns_among: int = 30
    turns_about: float = 0.6
    turns_read: int = 48
    """Below how many messages a change is looked for where one is asked about, among how many of the best, which share
    of the best score by the words of the matter they must have, and how many messages below each are read."""

    # -- how much is looked at -------------------------------------------------------------------------------------
    candidates: int = 100
    """Messages taken from each search."""
    seeds: int = 60
    """Candidates whose surroundings are looked at as well."""
    groups: int = 8
    group_most: int = 200
    """Topics and threads of the best candidates that are looked at whole, and how many messages each may have."""
    phase_most: int = 1000
    """How many messages a named phase may have that is looked at whole."""
    reread: int = 40
    """Best messages whose notes are read."""
    supported_by: int = 12
    """Best messages that decide how well the evidence answers."""


class Parts(Record, frozen=True, kw_only=True):
    """What recall is made of; each part can be left out, to measure what it adds. All are there by default."""

    meaning: bool = True
    context: bool = True
    threads: bool = True
    topics: bool = True
    priors: bool = True
    expansion: bool = True
    vocabulary: bool = True
    decisions: bool = True


WEIGHTS = Weights()
ALL_PARTS = Parts()
