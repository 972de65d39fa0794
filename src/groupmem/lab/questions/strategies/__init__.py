"""One strategy a type of question: each finds its anchors and words them, the plainest wording first."""
