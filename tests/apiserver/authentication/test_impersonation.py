"""Acting as somebody else needs a permission for all that one wants to be."""

import pytest

from plumbline.access.identity import NODE_NAME, Identity
from plumbline.apiserver.authentication import impersonation as impersonation_module
from plumbline.apiserver.authentication.impersonation import Impersonation, wanted_identity
from plumbline.apiserver.rbac import Attributes, Decision

from .sample import refused

BOB = Identity("bob", groups=("system:authenticated",))
REQUEST = Attributes(BOB, "list", "", "v1", "configmaps", namespace="home")
ROBOT = "system:serviceaccount:home:robot"
AUTHENTICATION = "authentication.k8s.io"
ON_USER = ("impersonate-on:user-info:list", "", "configmaps", "")


def headers(**wanted):
    for title, values in wanted.items():
        for value in values if isinstance(values, list) else [values]:
            yield f"Impersonate-{title.replace('_', '-')}", value


class Permissions:
    """Allows what is listed as verb, group, resource and name; an empty name stands for all."""

    def __init__(self, *allowed):
        self._allowed = set(allowed)
        self.asked = []

    def decide(self, wish):
        resource = f"{wish.resource}/{wish.subresource}" if wish.subresource else wish.resource
        self.asked.append((wish.verb, wish.group, resource, wish.name))
        names = {(wish.verb, wish.group, resource, name) for name in ("", wish.name)}
        return Decision(allowed=bool(names & self._allowed), reason="")


def become(permissions, request=REQUEST, **wanted):
    return Impersonation(permissions.decide).impersonated(wanted_identity(headers(**wanted)), request)


WANTED = [
    ({"User": "zed"}, Identity("zed")),
    ({"User": ["zed", "ignored"]}, Identity("zed")),
    ({"user": "zed", "GROUP": ["a", "b"], "Uid": "7"}, Identity("zed", "7", ("a", "b"))),
    ({"User": "z", "Extra-Scopes": ["a", "b"]}, Identity("z", extra={"scopes": ("a", "b")})),
    ({"User": "z", "Extra-Acme.io%2FProject": "x"}, Identity("z", extra={"acme.io/project": ("x",)})),
    ({"User": "z", "Extra-50%": "x", "Extra-A%zz": "y"}, Identity("z", extra={"50%": ("x",), "a%zz": ("y",)})),
    ({"Accept": "x"}, None),
    ({}, None),
]


@pytest.mark.parametrize(("wanted", "identity"), WANTED)
def test_headers_say_who_is_wanted(wanted, identity):
    assert wanted_identity([*headers(**wanted), ("Accept", "application/json")]) == identity


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ({"Group": "g"}, 'UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)'),
        ({"Uid": "1"}, 'UID:"1", Groups:[]string(nil), Extra:map[string][]string(nil)'),
        (
            {"Extra-B": "x", "Extra-A": ["y", "z"]},
            'UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"y", "z"}, "b":[]string{"x"}}',
        ),
    ],
)
def test_groups_without_a_user_are_refused(wanted, shown):
    code, message = refused(lambda: wanted_identity(headers(**wanted)))
    assert code == 400
    assert message == f'requested &user.DefaultInfo{{Name:"", {shown}}} without impersonating a user name'


LEGACY = Permissions(
    ("impersonate", "", "users", ""),
    ("impersonate", "", "groups", "g"),
    ("impersonate", "", "groups", "system:masters"),
    ("impersonate", "", "serviceaccounts", "robot"),
    ("impersonate", AUTHENTICATION, "uids", "7"),
    ("impersonate", AUTHENTICATION, "userextras/scopes", "view"),
)
ALLOWED = [
    ({"User": "zed"}, ("system:authenticated",)),
    ({"User": "zed", "Group": "g"}, ("g", "system:authenticated")),
    ({"User": "zed", "Group": "system:masters"}, ("system:masters", "system:authenticated")),
    ({"User": "zed", "Uid": "7", "Extra-Scopes": "view"}, ("system:authenticated",)),
    ({"User": ROBOT}, ("system:serviceaccounts", "system:serviceaccounts:home", "system:authenticated")),
    ({"User": ROBOT, "Group": "g"}, ("g", "system:authenticated")),
    ({"User": "system:anonymous"}, ("system:unauthenticated",)),
    ({"User": "system:node:n1"}, ("system:authenticated",)),
]


@pytest.mark.parametrize(("wanted", "groups"), ALLOWED)
def test_the_old_permission_makes_one_what_is_asked_for(wanted, groups):
    found = become(LEGACY, **wanted)
    assert (found.name, found.groups) == (wanted["User"], groups)
    assert found.uid == wanted.get("Uid", "")


def test_who_says_to_be_unknown_stays_so():
    permissions = Permissions(("impersonate", "", "users", ""), ("impersonate", "", "groups", ""))
    assert become(permissions, User="z", Group="system:unauthenticated").groups == ("system:unauthenticated",)


def constrained(mode, resource, name="", *more):
    return Permissions(
        (f"impersonate-on:{mode}:list", "", "configmaps", ""),
        (f"impersonate:{mode}", AUTHENTICATION, resource, name),
        *more,
    )


def test_a_constrained_user_may_be_anybody_for_one_kind_of_request():
    permissions = constrained("user-info", "users")
    assert become(permissions, User="zed").name == "zed"
    code, message = refused(lambda: become(permissions, REQUEST._replace(resource="secrets"), User="zed"))
    assert code == 403
    assert message.startswith(
        'secrets is forbidden: User "bob" cannot impersonate-on:user-info:list resource "secrets"'
    )


def test_a_constrained_node_has_the_groups_of_nodes():
    permissions = constrained("arbitrary-node", "nodes", "n1")
    assert become(permissions, User="system:node:n1").groups == ("system:nodes", "system:authenticated")
    assert refused(lambda: become(permissions, User="system:node:n2"))[1].startswith("nodes.authentication.k8s.io")


def test_a_constrained_service_account_has_its_groups():
    permissions = constrained("serviceaccount", "serviceaccounts", "robot")
    assert become(permissions, User=ROBOT).groups[0] == "system:serviceaccounts"
    _, message = refused(lambda: become(permissions, User=ROBOT, Group="g"))
    assert 'cannot impersonate resource "serviceaccounts"' in message, "with groups only the old way is left"


def test_a_daemon_may_become_its_own_node():
    permissions = constrained("associated-node", "nodes", "*")
    daemon = Identity(ROBOT, extra={NODE_NAME: ("n1",)})
    request = REQUEST._replace(identity=daemon)
    assert become(permissions, request, User="system:node:n1").name == "system:node:n1"
    for caller in (daemon, BOB, Identity(ROBOT)):
        with pytest.raises(Exception, match="forbidden"):
            become(permissions, REQUEST._replace(identity=caller), User="system:node:n2")


@pytest.mark.parametrize(
    ("wanted", "ending"),
    [
        ({"Group": "system:masters"}, "impersonating the system:masters group is not allowed"),
        ({"Group": ["", "x"]}, "impersonating the empty string group is not allowed"),
        (
            {"Extra-Scopes": "x"},
            (
                "impersonating an invalid key in extra is not allowed: extra.key: Invalid value:"
                ' "scopes": must be a domain-prefixed path (such as "acme.io/foo")'
            ),
        ),
        ({"Extra-Acme.io%2fx": ""}, "impersonating the empty string value in extra is not allowed"),
        ({"Extra-": "x"}, "impersonating the empty string key in extra is not allowed"),
        (
            {"Extra-Acme.io%2f%41": "x"},
            'impersonating a non-lowercase key in extra is not allowed: "acme.io/A"',
        ),
    ],
)
def test_constrained_impersonation_is_strict(wanted, ending):
    code, message = refused(lambda: become(constrained("user-info", "users"), User="zed", **wanted))
    assert (code, message.endswith(f": {ending}")) == (403, True)


def test_many_groups_and_extras_are_asked_for_at_once():
    groups = ("impersonate:user-info", AUTHENTICATION, "groups", "*")
    extras = ("impersonate:user-info", AUTHENTICATION, "userextras/*", "*")
    permissions = constrained("user-info", "users", "", groups, extras)
    wanted = {"Group": list("abcd"), "Extra-A.b%2fc": ["1", "2", "3", "4"]}
    assert become(permissions, User="zed", **wanted).groups[:4] == tuple("abcd")
    assert len(permissions.asked) == 4
    few = constrained("user-info", "users", "", ("impersonate:user-info", AUTHENTICATION, "groups", ""))
    assert become(few, User="zed", Group=["a", "b"]).name == "zed"
    assert [asked[3] for asked in few.asked] == ["", "zed", "a", "b"]


def test_what_worked_last_is_tried_first_and_its_refusal_is_shown():
    permissions = Permissions(("impersonate", "", "users", "zed"))
    impersonation = Impersonation(permissions.decide)

    def attempt(**wanted):
        return impersonation.impersonated(wanted_identity(headers(**wanted)), REQUEST)

    assert "impersonate-on:user-info:list" in refused(lambda: attempt(User="eve"))[1]
    assert attempt(User="zed").name == "zed"
    permissions.asked.clear()
    assert attempt(User="zed").name == "zed"
    assert permissions.asked == [("impersonate", "", "users", "zed")]
    assert 'users "eve" is forbidden: User "bob" cannot impersonate resource' in refused(lambda: attempt(User="eve"))[1]


def test_callers_are_remembered_within_bounds(monkeypatch):
    monkeypatch.setattr(impersonation_module, "_REMEMBERED", 3)
    impersonation = Impersonation(Permissions(("impersonate", "", "users", "")).decide)
    for number in range(10):
        request = REQUEST._replace(identity=Identity(f"caller-{number}"))
        assert impersonation.impersonated(Identity("zed"), request).name == "zed"
        assert len(impersonation._last) <= 3


def test_nothing_allowed_is_a_403_about_the_first_thing_asked():
    code, message = refused(lambda: become(Permissions(), REQUEST._replace(resource="", path="/metrics"), User="z"))
    assert (code, message) == (403, 'forbidden: User "bob" cannot impersonate-on:user-info:list path "/metrics"')
