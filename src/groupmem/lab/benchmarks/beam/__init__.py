"""BEAM: long chats of a user with an assistant, and probing questions about them (arXiv 2510.27246).

`beam` and `beam:full` are the memory set of five conversations, `beam:lite` two questions on three messages,
`beam:100K`, `beam:500K`, `beam:1M` and `beam:10M` the whole tiers. `layouts` reads the files, `reading` makes messages
and questions, `checks` holds them to the published sums (`pins`), `sets` puts the sets together, `grading` grades,
`agentic` knows what a graph agent takes, `manifest` says what a run was made from.
"""

from groupmem.lab.benchmarks.beam.sets import SETS, Beam, BeamSet

__all__ = ["SETS", "Beam", "BeamSet"]
