"""Plays the chat models of a run of agentic-graphrag on BEAM, so that anybody can repeat one without a model or a key:

    groupmem systems install agentic-graphrag
    groupmem data fetch beam:lite
    groupmem run beam:lite --out graph-run --judge scripted:examples/graph_agent_model.py --system \
      agentic-graphrag:chat=scripted:examples/graph_agent_model.py,documents=session,max_llm_pairs=10,recursion_limit=30
    groupmem report graph-run --like beam

It reads by rules what a model reads by sense: clauses with a number or a day of the week are facts, and what their
numbers count are measures. The agent searches, looks up what the question names, walks the graph from there, fetches
the best passage, and answers with the sentences of it that share most words with the question. The judge compares
words and numbers. Scores of such a run say that everything works together, and nothing of how well.
"""

import json
import re

DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
SESSION = re.compile(r"^(?P<name>Session (?P<number>\d+)), date: (?P<date>\S+)", re.MULTILINE)
SAID = re.compile(r"^\[msg \S+ \| (?P<role>\w+)\] ", re.MULTILINE)
CLAUSE = re.compile(rf"[^,.;:!?\n*\[\]]*(?:\d|{DAYS})[^,.;:!?\n*\[\]]*")
MEASURE = re.compile(r"\d+(?: of \d+)? (?!AM|PM|and|or|by|to)[a-z]{3,}|\d+%")
EVENT = re.compile(rf"(?:{MONTHS}) \d+")
TOPIC = re.compile(r"\b[a-z]{5,}\b")
PAIR = re.compile(r"""pair_id["']?:\s*["']?([\w:-]+)""")
EVIDENCE = re.compile(r"ev1:[\w:.-]+")
ENTITY = re.compile(r'"entity_id":\s*"([0-9a-f-]{36})"')
FACTS_OF_A_PASSAGE = 12
SENTENCES_OF_AN_ANSWER = 4
PLAIN_WORDS = frozenset(
    re.findall(r"\w+", "the and that did you your for with was were have had what which how many say")
)


def reply(body):
    """What the models of the run say: the package's for extraction, resolution and its agent, and the judge."""
    system, last = text_of(body["messages"][0]), text_of(body["messages"][-1])
    if "Requirement:\n" in last:
        return {"reply": judge(last)}
    if last.startswith("First:"):
        return same_event(last)
    if body.get("tools"):
        return act(body["messages"])
    if "entity resolution assistant" in system:
        return {
            "reply": [{"pair_id": p, "reasoning": "other words", "verdict": "no_match"} for p in PAIR.findall(last)]
        }
    return {"reply": extract(last)}


# -- extraction --------------------------------------------------------------------------------------------------------


def extract(prompt):
    """Names are copied from the text as they stand, for the package drops all others."""
    text = prompt.partition("---\n")[2].rpartition("\n--- END TEXT")[0] or prompt
    session = SESSION.search(text)
    entities = [entity("Person", role) for role in dict.fromkeys(SAID.findall(text))]
    relations = []
    if session:
        fields = {"session_number": session["number"], "session_date": session["date"]}
        entities.append(entity("Session", session["name"], **fields))
    for fact in facts_of(text)[:FACTS_OF_A_PASSAGE]:
        entities.append(entity("Fact", fact))
        relations += [relation("STATED_IN", fact, session["name"])] if session else []
        for measure in dict.fromkeys(MEASURE.findall(fact)):
            value, _, unit = measure.rpartition(" ")
            entities.append(entity("Measure", measure, value=value or measure, unit=unit if value else "%"))
            relations.append(relation("HAS_MEASURE", fact, measure))
        for when in dict.fromkeys(EVENT.findall(fact)):
            entities.append(entity("Event", when, date_text=when))
            relations.append(relation("ABOUT", fact, when))
        for topic in sorted(TOPIC.findall(fact), key=len)[-1:]:
            entities.append(entity("Topic", topic))
            relations.append(relation("ABOUT", fact, topic))
    return {"entities": list({(e["label"], e["text"]): e for e in entities}.values()), "relations": relations}


def facts_of(text):
    """Clauses with a number or a day, of more than three words; what is not said by anybody states nothing."""
    body = SAID.sub("\n", SESSION.sub("", text))
    clauses = (clause.strip(" -–#()") for clause in CLAUSE.findall(body))
    return list(dict.fromkeys(c for c in clauses if len(c.split()) > 3 and "->->" not in c))


def entity(label, text, **properties):
    return {"label": label, "text": text, **({"properties": properties} if properties else {})}


def relation(label, source, target):
    return {"label": label, "source_text": source, "target_text": target}


# -- the agent ---------------------------------------------------------------------------------------------------------


def act(turns):
    """One step of the agent, by what its tools have said so far."""
    results = [text_of(turn) for turn in turns if turn["role"] == "tool"]
    question = next(text_of(turn) for turn in reversed(turns) if turn["role"] == "user").partition("\n\n(Asked")[0]
    evidence = EVIDENCE.findall(results[0]) if results else []
    if not results:
        return call("search_evidence", query=question)
    if not evidence:
        return answer("Nothing in the conversation says so.", "insufficient_evidence", [])
    if len(results) == 1:
        return call("entity_search", query=max(words(question), key=len))
    found = ENTITY.search(results[1])
    if len(results) == 2 and found:
        return call("explore_relationships", entity_id=found[1])
    fetched = next((result for result in results if result.startswith('{"outcomes"')), None)
    if fetched is None:
        return call("fetch_evidence", evidence_ids=evidence[:1])
    outcomes, _ = json.JSONDecoder().raw_decode(fetched)  # a note on the task follows it
    said = best_sentences(question, outcomes["outcomes"][0]["text"])
    return answer(f"{said} [{evidence[0]}]", "supported", evidence[:1])


def best_sentences(question, text):
    asked = words(question)
    sentences = [s.strip() for s in re.split(r"[.!?\n]+", SAID.sub("\n", text)) if s.strip()]
    best = sorted(sentences, key=lambda s: -len(asked & words(s)))[:SENTENCES_OF_AN_ANSWER]
    return ". ".join(s.partition(" ->->")[0] for s in sentences if s in best)


def answer(text, status, citations):
    return call("AgentAnswer", answer=text, support_status=status, citations=citations)


def call(name, **arguments):
    return {"reply": "", "tool_calls": [{"name": name, "arguments": arguments}]}


# -- the judge ---------------------------------------------------------------------------------------------------------


def judge(prompt):
    """1 where most words and all numbers of the requirement are in the answer, .5 where half of the words are."""
    requirement = prompt.partition("Requirement:\n")[2].partition("\n\nAnswer")[0]
    given = prompt.partition("\n<answer id=")[2].partition("\n</answer id=")[0]
    needed, there = words(requirement.partition(":")[2] or requirement), words(given)
    shared = len(needed & there) / max(len(needed), 1)
    numbers = {word for word in needed if word.isdigit()} <= there
    return {
        "score": 1.0 if shared > 0.6 and numbers else 0.5 if shared >= 0.5 else 0.0,
        "reason": f"{shared:.2f} of it",
    }


def same_event(prompt):
    first, second = (words(part) for part in prompt.split("\nSecond:\n"))
    return "yes" if len(first & second) > len(first) / 2 else "no"


def words(text):
    return {word for word in re.findall(r"[a-z]{3,}|\d+", text.lower()) if word not in PLAIN_WORDS}


def text_of(turn):
    content = turn.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
