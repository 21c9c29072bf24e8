"""Every question that the real Argo CD was asked gets the answer that it gave."""

from collections import Counter

import pytest
from tests.delivery.projects.questions import our_answer, questions, recorded

QUESTIONS = questions()
ANSWERS = recorded()

BETTER = {
    ("?", ""): "one character is not none",
    ("[!abc]", ""): "one character is not none",
    ("***", ""): "nothing is anything",
    ("{a*,b}c", "abc"): "the star may take more than one character",
    ("{a*,b}c", "a/b/c"): "the star may take more than one character",
    ("{a*,b}c", "aXbYc"): "the star may take more than one character",
}
"""Where the library that upstream matches with is wrong by its own description."""


@pytest.mark.parametrize("ask", sorted({question["ask"] for question in QUESTIONS}))
def test_the_answer_is_that_of_the_real_argo_cd(ask):
    different = [
        (question, ours, theirs)
        for question, theirs in zip(QUESTIONS, ANSWERS, strict=True)
        if question["ask"] == ask and not same(question, ours := our_answer(question), theirs)
    ]
    assert different == []


def same(question, ours, theirs):
    if question["ask"] == "glob" and (question["pattern"], question["text"]) in BETTER:
        return True
    refused = "fault" in theirs
    if refused and theirs["fault"]:
        # Where a window cannot be read, what it would block is not synced, and the words are upstream's.
        return ours.get("fault", "").removeprefix("invalid sync windows: ") == theirs["fault"].removeprefix(
            "invalid sync windows: "
        )
    keys = ("yes", "which", "said")
    return ("fault" in ours) == refused and all((ours.get(k) or None) == (theirs.get(k) or None) for k in keys)


def test_both_answers_occur_in_every_table():
    """Otherwise a table proves nothing."""
    seen = Counter((question["ask"], answer["yes"]) for question, answer in zip(QUESTIONS, ANSWERS, strict=True))
    assert all(seen[ask, yes] for ask in ("glob", "path", "source", "destination", "kind") for yes in (True, False))
