"""Which commits a strict policy looks at, compared with a walk that takes no shortcuts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import LimitExceeded
from plumbline.source.signatures.history import History
from plumbline.source.signatures.objects import Signed


def commit(parents, *, at=0, sealed=False):
    return Signed("commit", b"", (), "", at, tuple(parents), "", "", sealed)


async def walked(graph, head, good=frozenset()):
    async def read(sha):
        return graph[sha]

    async def seals(sha, _):
        return sha in good

    return await History(read, seals).commits(head)


def reach(graph, starts):
    found, left = set(), list(starts)
    while left:
        sha = left.pop()
        if sha not in found:
            found.add(sha)
            left += graph[sha].parents
    return found


def whole(graph, head, good):
    """As upstream has it: all that the head reaches and no seal does, and the edge of that."""
    seals = {sha for sha in reach(graph, [head]) if graph[sha].sealed and sha in good}
    if head in seals:
        return {head}
    inner = reach(graph, [head]) - reach(graph, seals)
    return inner | {parent for sha in inner for parent in graph[sha].parents}


@st.composite
def histories(draw):
    """Commits named by numbers, each with earlier ones as parents; dates say what they like."""
    size = draw(st.integers(1, 12))
    graph = {}
    for number in range(size):
        earlier = (
            st.lists(st.sampled_from([str(n) for n in range(number)]), unique=True, max_size=3)
            if number
            else st.just([])
        )
        graph[str(number)] = commit(
            draw(earlier), at=draw(st.integers(number - 1, number + 1)), sealed=draw(st.booleans())
        )
    return graph, str(size - 1), draw(st.frozensets(st.sampled_from(sorted(graph)), max_size=size))


@given(histories())
async def test_nothing_that_has_to_be_looked_at_is_left_out(history):
    graph, head, good = history
    found = await walked(graph, head, good)
    assert len(set(found)) == len(found)
    assert whole(graph, head, good) <= set(found)


@given(histories())
async def test_with_honest_dates_nothing_else_is_looked_at(history):
    graph, head, good = history
    honest = {sha: signed._replace(committed=int(sha)) for sha, signed in graph.items()}
    assert set(await walked(honest, head, good)) == whole(honest, head, good)


async def test_a_way_around_the_seal_is_walked_up_to_what_it_covers():
    graph = {
        "root": commit([], at=1),
        "fork": commit(["root"], at=2),
        "seal": commit(["fork"], at=3, sealed=True),
        "side": commit(["fork"], at=4),
        "merge": commit(["seal", "side"], at=5),
    }
    assert await walked(graph, "merge", {"seal"}) == ("merge", "side", "seal", "fork")


async def test_a_history_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("plumbline.source.signatures.history.MOST", 500)
    graph = {str(n): commit([str(n + 1)], at=-n) for n in range(600)}
    with pytest.raises(LimitExceeded):
        await walked(graph, "0")
