"""The synthesis graph as a networkx graph: typed nodes, and one edge per relation of the source's table.

GroupMemBench, Table "Edge relations". The generator walks index tuples of the scaffold, which hold the same edges; this
is the form for looking at them, for other tools, and for the tests that hold the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import networkx as nx

from groupmem.lab.synthesis.scaffold import Scaffold
from groupmem.lab.synthesis.slots import Slot

STATIC_RELATIONS = (
    "has_topic",
    "has_phase",
    "belongs_to_project",
    "involved_in",
    "has_member",
    "active_in_phase",
    "has_phase_member",
    "related_to_project",
)
DYNAMIC_RELATIONS = ("authored_by", "posted_in", "reply_to")
Edge = tuple[str, str, str]
"""(source node, relation, target node)"""


def static_edges(scaffold: Scaffold) -> Iterator[Edge]:
    """Every static edge. Projects go by their name, topics and phases by their id, people by theirs."""
    for project in scaffold.projects:
        for index in project.topics:
            topic = scaffold.topics[index]
            yield project.name, "has_topic", topic.id
            for number in topic.phases:
                yield topic.id, "has_phase", scaffold.phases[number].id
                yield scaffold.phases[number].id, "belongs_to_project", topic.id
        for index in project.members:
            yield scaffold.members[index].id, "involved_in", project.name
            yield project.name, "has_member", scaffold.members[index].id
        for index in project.related:
            yield project.name, "related_to_project", scaffold.projects[index].name
    for phase in scaffold.phases:
        for index in phase.members:
            yield scaffold.members[index].id, "active_in_phase", phase.id
            yield phase.id, "has_phase_member", scaffold.members[index].id


def dynamic_edges(scaffold: Scaffold, slots: Iterable[Slot]) -> Iterator[Edge]:
    """The edges that messages add as they come."""
    for slot in slots:
        yield slot.id, "authored_by", scaffold.members[slot.author].id
        yield slot.id, "posted_in", scaffold.phases[slot.phase].id
        if slot.parent is not None:
            yield slot.id, "reply_to", f"Msg_{slot.parent + 1}"


def build_graph(scaffold: Scaffold, slots: Iterable[Slot] = ()) -> nx.MultiDiGraph:
    """The typed graph (node attribute `type`), with the messages given; the relation is the edge key."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from((project.name for project in scaffold.projects), type="domain")
    graph.add_nodes_from((topic.id for topic in scaffold.topics), type="topic")
    graph.add_nodes_from((phase.id for phase in scaffold.phases), type="phase")
    graph.add_nodes_from((member.id for member in scaffold.members), type="user")
    slots = tuple(slots)
    graph.add_nodes_from((slot.id for slot in slots), type="message")
    for source, relation, target in (*static_edges(scaffold), *dynamic_edges(scaffold, slots)):
        graph.add_edge(source, target, key=relation)
    return graph
