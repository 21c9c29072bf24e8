"""How often a caller may ask, and who is one caller."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.web.requests import Request
from plumbline.web.sealing import Terms
from plumbline.web.sealing.rates import Rates


class Hand:
    """A clock that is set."""

    def __init__(self):
        self.now_s = 1000.0

    def monotonic(self):
        return self.now_s


@pytest.fixture
def clock():
    return Hand()


def test_a_burst_is_taken_and_then_so_many_in_a_second(clock):
    rates = Rates(clock, 2, 2)
    assert [rates.take("a").remaining for _ in range(3)] == [2, 1, 0]
    refused = rates.take("a")
    assert (refused.taken, refused.limit, refused.remaining, refused.reset_s, refused.retry_s) == (
        False, 3, 0, 1.5, 0.5,
    )  # fmt: skip
    clock.now_s += 0.5
    assert rates.take("a").taken
    assert not rates.take("a").taken


def test_one_caller_does_not_count_for_another(clock):
    rates = Rates(clock, 2, 0)
    assert rates.take("a").taken
    assert not rates.take("a").taken
    assert rates.take("b").taken


def test_callers_that_are_quiet_are_forgotten(clock):
    rates = Rates(clock, 2, 2)
    for number in range(100):
        rates.take(str(number))
    clock.now_s += 2
    rates.take("a")
    assert len(rates) == 1


def test_those_who_are_too_many_to_tell_apart_share_one_limit(clock):
    rates = Rates(clock, 2, 0, most_keys=10)
    taken = [rates.take(str(number)).taken for number in range(1000)]
    assert taken == [True] * 11 + [False] * 989
    assert len(rates) == 11


@given(
    st.lists(st.tuples(st.integers(0, 3), st.fractions(0, 2, max_denominator=16)), max_size=60),
    st.integers(1, 8),
    st.integers(0, 4),
)
def test_never_more_than_burst_and_rate_allow(asked, per_s, burst):
    clock = Hand()
    rates = Rates(clock, per_s, burst)
    took = {}
    now = Fraction(1000)
    for caller, pause in asked:
        now += pause
        clock.now_s = float(now)
        if rates.take(str(caller)).taken:
            took.setdefault(caller, []).append(now)
    for times in took.values():
        for first in range(len(times)):
            for last in range(first, len(times)):
                # Nanoseconds are whole: an interval of a third of a second is a third of one short.
                allowed = (times[last] - times[first] + Fraction(1, 10**6)) * per_s + burst + 1
                assert last - first + 1 <= allowed


def request(peer, forwarded=None):
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    scope = {"method": "GET", "path": "/", "headers": headers, "client": (peer, 1), "query_string": b""}
    return Request(scope, None)


CALLERS = [
    ("10.0.0.1", None, "10.0.0.1", "whoever is there"),
    ("10.0.0.1", "1.2.3.4", "10.0.0.1", "what strangers say of themselves is not believed"),
    ("192.168.0.9", "1.2.3.4", "1.2.3.4", "an API server knows whom it asks for"),
    ("192.168.0.9", "9.9.9.9, 8.8.8.8,1.2.3.4", "1.2.3.4", "and what the asker made up comes before that"),
    ("192.168.0.9", "9.9.9.9, 192.168.0.7", "192.168.0.7", "even where the asker is in a trusted network"),
    ("192.168.0.9", "nonsense", "192.168.0.9", "no address is the proxy's own request"),
    ("192.168.0.9", None, "192.168.0.9", "so is none"),
    ("::ffff:192.168.0.9", "::ffff:1.2.3.4", "1.2.3.4", "IPv4 in the clothes of IPv6 is IPv4"),
    ("2001:db8:1:2:aaaa::1", None, "2001:db8:1:2::/64", "a host has all of a /64"),
    ("fd00::1", "2001:db8:1:2:bbbb::7", "2001:db8:1:2::/64", "by proxy too"),
    ("", None, "None", "nobody is somebody"),
]


@pytest.mark.parametrize(("peer", "forwarded", "caller", "why"), CALLERS, ids=[case[-1] for case in CALLERS])
def test_a_caller_is_who_can_be_believed(peer, forwarded, caller, why):
    terms = Terms(trusted=("192.168.0.0/24", "fd00::/8"))
    assert terms.caller(request(peer, forwarded)) == caller, why


@pytest.mark.parametrize(
    "terms", [{"per_s": 0}, {"burst": -1}, {"trusted": ("api-server",)}, {"trusted": ("10.0.0.1/8",)}]
)
def test_terms_that_mean_nothing_are_refused(terms):
    with pytest.raises(InvalidInput):
        Terms(**terms)
