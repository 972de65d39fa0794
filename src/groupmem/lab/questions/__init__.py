"""Adversarial questions: composed, tried on a solver, reworded until it fails, kept where the evidence still answers.

    author     where questions come from: the facts of a corpus (`known`), or a model over any conversation
    examiner   what is tried on them: a memory system with the value extractor, or with a reader and a judge
    loop       anchor -> wording -> rounds of solving, judging and refining -> accepted, or refused with its reason
    making     the loop over six types, resumable, to a folder of question files

Source: GroupMemBench (arXiv 2605.14498), "Adversarial Query Construction". docs/questions.md explains all of it.
"""
