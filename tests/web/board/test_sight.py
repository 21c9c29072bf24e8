"""Who sees what, decided as seldom as possible."""

from tests.web.board.forest import rows

from plumbline.web.board.sight import Sight

ROWS = rows(50)
ADA = ("ada", (), "argocd")


class Policy:
    def __init__(self, allowed=lambda name: True):
        self.asked = []
        self._allowed = allowed

    def may(self, name):
        self.asked.append(name)
        return self._allowed(name)


def sight(policy, looked_at=lambda namespace: True):
    return Sight("argocd", lambda: policy[0], looked_at)


def test_each_is_decided_once_for_each_who_asks():
    policy = [Policy(lambda name: name.startswith("project-1/"))]
    seen = sight(policy)
    first = list(seen.visible(ROWS, ADA, policy[0].may))
    assert [row.project for row in first] == ["project-1"] * 3
    assert len(policy[0].asked) == 50
    assert list(seen.visible(ROWS, ADA, policy[0].may)) == first
    assert len(policy[0].asked) == 50
    list(seen.visible(ROWS, ("eve", (), "argocd"), policy[0].may))
    assert len(policy[0].asked) == 100


def test_another_policy_decides_anew():
    policy = [Policy()]
    seen = sight(policy)
    list(seen.visible(ROWS, ADA, policy[0].may))
    policy[0] = Policy(lambda name: False)
    assert list(seen.visible(ROWS, ADA, policy[0].may)) == []
    assert not seen.sees(ROWS[0], ADA, policy[0].may)


def test_the_same_name_from_another_issuer_is_somebody_else():
    policy = [Policy()]
    seen = sight(policy)
    list(seen.visible(ROWS, ADA, policy[0].may))
    list(seen.visible(ROWS, ("ada", (), "https://idp"), policy[0].may))
    assert len(policy[0].asked) == 100


def test_namespaces_that_are_not_looked_at_are_seen_by_nobody():
    policy = [Policy()]
    elsewhere = Sight("here", lambda: policy[0], lambda namespace: False)
    assert list(elsewhere.visible(ROWS, ADA, policy[0].may)) == []
    assert policy[0].asked == []
    assert sight(policy).named("shop", "team", "web") == "shop/team/web"


def test_of_many_people_those_are_forgotten_who_came_first():
    policy = [Policy()]
    seen = sight(policy)
    for number in range(65):
        list(seen.visible(ROWS[:1], (f"p{number}", (), ""), policy[0].may))
    list(seen.visible(ROWS[:1], ("p64", (), ""), policy[0].may))
    assert len(policy[0].asked) == 65
    list(seen.visible(ROWS[:1], ("p0", (), ""), policy[0].may))
    assert len(policy[0].asked) == 66
