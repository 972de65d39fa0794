"""One written corpus for all tests of questions, and what questions are made with."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest
from questions_bench import MESSAGES, Quiet, open_models

from groupmem.lab.questions.facts import Truth, read_truth
from groupmem.lab.questions.known import STRATEGIES
from groupmem.lab.questions.records import Category
from groupmem.lab.questions.strategies.base import Ladder, Library
from groupmem.lab.synthesis.making import Order, make_corpus
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.readers.registry import read_any


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of the shipped technology pack, by the grammar writer."""
    folder = tmp_path_factory.mktemp("corpus")
    order = Order(pack=load_pack("technology"), policy=load_policy(), messages=MESSAGES)
    return make_corpus(order, folder, Quiet(), open_models).folder


@pytest.fixture(scope="session")
def truth(corpus: Path) -> Truth:
    return read_truth(corpus, read_any(corpus).conversation)


@pytest.fixture(scope="session")
def library(truth: Truth) -> Library:
    return Library.of(truth)


@pytest.fixture(scope="session")
def ladders(library: Library) -> dict[Category, list[Ladder]]:
    """The first ladders of each type."""
    return {
        category: list(islice(strategy().ladders(library, random.Random(7)), 60))
        for category, strategy in STRATEGIES.items()
    }
