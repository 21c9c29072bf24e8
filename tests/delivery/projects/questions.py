"""Questions about projects and windows that were put to the real Argo CD; `recorded.json` has its answers.

`tests/conformance/delivery/test_projects_against_real.py` asks them anew.
"""

from datetime import datetime
from itertools import product
from pathlib import Path

from plumbline.base.errors import Forbidden, InvalidInput
from plumbline.base.glob import glob, path_glob
from plumbline.base.json import decode, encode
from plumbline.delivery.projects import (
    Project,
    permits_application_namespace,
    permits_destination,
    permits_kind,
    permits_source,
    service_account_for,
)
from plumbline.delivery.projects.windows import allowed, is_open, matching, was_allowed
from plumbline.delivery.settings import Cluster
from plumbline.kinds.appproject import ApplicationDestination, AppProjectSpec
from plumbline.kinds.values import converted
from plumbline.kube.names import GroupKind

RECORDED = Path(__file__).with_name("recorded.json")

GLOBS = [
    *("", "*", "**", "?", "a", "a*", "*a", "*a*", "a*b", "a?b", "*/x", "**/x", "a/**", "a/*/c", "a/**/c", "?/?"),
    *("[abc]", "[!abc]", "[a-c]x", "[!a-c]x", "[a-cx]", "[]", "[", "[a", "[!", "[a-]", "[z-a]", "[-a]", "[\\]]", "[abc-]"),
    *("{a,b}", "{a,b}*", "{a*,b}c", "x{,y}", "{a,{b,c}d}", "{a", "a}", "a,b", "{}", "{*,a/b}", "\\*", "a\\", "\\{a,b\\}"),
    *("*.example.com", "team-*-prod", "team-{a,b}-*", "https://*.example.com", "a*b*c", "*a*b*", "a**b", "***"),
]  # fmt: skip
TEXTS = [
    *("", "a", "b", "ab", "abc", "axb", "a/b", "a/b/c", "x", "a/x", "ac", "bd", "xy", "a/", "]", "-", "*", "{a,b}"),
    *("ax", "dx", "cx", "www.example.com", "team-a-prod", "team-c-prod", "https://k.example.com", "aXbYc", "a-", "a,b"),
]  # fmt: skip
PATHS = [
    *("", "*", "?", "*Set", "[A-Z]*", "[^a-z]*", "[A-CX]*", "Deploy*", "\\*", "a\\", "[", "[a", "[]a]", "[^]a]", "[a-", "{a,b}"),
    *("*.example.com", "apps", "[z-a]", "a/*", "*/*"),
]  # fmt: skip
PATH_TEXTS = ["", "apps", "Deployment", "StatefulSet", "X", "*", "a", "a/b", "x.example.com", "bar", "{a,b}", "]"]

SOURCES = [
    [],
    ["*"],
    ["**"],
    ["!*"],
    ["https://github.com/acme/*"],
    ["https://github.com/acme/**"],
    ["https://github.com/acme/shop.git"],
    ["git@github.com:acme/shop.git"],
    ["ssh://git@github.com/acme/*"],
    ["!https://github.com/acme/secret"],
    ["*", "!https://github.com/acme/secret"],
    ["!https://github.com/acme/secret", "*"],
    ["https://github.com/acme/*", "!https://github.com/acme/secret*"],
    ["https://*.example.com/*"],
    ["https://github.com/{acme,evil}/shop"],
    ["oci://registry.example.com/charts/*"],
    ["https://charts.example.com"],
    ["https://github.com/acme/sh?p"],
]
URLS = [
    "https://github.com/acme/shop",
    "https://github.com/acme/shop.git",
    "https://GitHub.com/Acme/Shop.git",
    "git@github.com:acme/shop.git",
    "ssh://git@github.com/acme/shop",
    "https://github.com/acme/secret",
    "https://github.com/acme/secret-2.git",
    "https://github.com/acme/team/shop",
    "https://github.com/evil/shop",
    "https://git.example.com/x",
    "https://charts.example.com",
    "https://charts.example.com/",
    "oci://registry.example.com/charts/web",
    "",
]

DESTINATIONS = [
    [],
    [("*", "", "*")],
    [("https://one", "", "*")],
    [("", "one", "*")],
    [("https://one", "", "shop")],
    [("https://one", "", "shop-*")],
    [("*", "", "!kube-system")],
    [("*", "", "*"), ("*", "", "!kube-*")],
    [("*", "", "*"), ("!https://two", "", "*")],
    [("*", "", "*"), ("", "!two", "*")],
    [("*", "", "*"), ("", "!two", "shop")],
    [("!https://two", "", "shop")],
    [("https://{one,two}", "", "{shop,web}")],
    [("*", "*", "shop")],
    [("https://one", "", "")],
    [("!*", "", "*")],
    [("*", "", "!*")],
]
PLACES = [
    (server, name, namespace)
    for (server, name), namespace in product(
        [("https://one", "one"), ("https://two", "two"), ("https://one", ""), ("", "two")],
        ["shop", "shop-1", "kube-system", "", "web"],
    )
]

LISTS = [
    {},
    {"namespaceResourceWhitelist": []},
    {"namespaceResourceWhitelist": [{"group": "*", "kind": "*"}]},
    {"namespaceResourceWhitelist": [{"group": "apps", "kind": "Deploy*"}]},
    {"namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}]},
    {"namespaceResourceBlacklist": [{"group": "*", "kind": "*"}]},
    {
        "namespaceResourceWhitelist": [{"group": "*", "kind": "*"}],
        "namespaceResourceBlacklist": [{"group": "apps", "kind": "[A-D]*"}],
    },
    {"clusterResourceWhitelist": [{"group": "*", "kind": "*"}]},
    {"clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "shop-*"}]},
    {
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        "clusterResourceBlacklist": [{"group": "", "kind": "Namespace", "name": "kube-*"}],
    },
    {"clusterResourceWhitelist": [{"group": "rbac.{a,b}", "kind": "*"}]},
    {"clusterResourceWhitelist": [{"group": "*.k8s.io", "kind": "Cluster?ole"}]},
]
KINDS = [
    ("", "Secret", "s", True),
    ("", "ConfigMap", "c", True),
    ("apps", "Deployment", "d", True),
    ("apps", "StatefulSet", "d", True),
    ("", "Namespace", "shop-1", False),
    ("", "Namespace", "kube-system", False),
    ("rbac.authorization.k8s.io", "ClusterRole", "r", False),
    ("rbac.a", "ClusterRole", "r", False),
]

NAMESPACES = [
    [],
    ["*"],
    ["team-*"],
    ["team-a", "team-b"],
    ["/^team-[ab]$/"],
    ["/^((?!secret).)*$/"],
    ["/(/"],
    ["/b/"],
    ["//"],
]
FROM = ["argocd", "", "team-a", "team-c", "secret", "my-secret-x", "b"]

ACCOUNTS = [
    [],
    [("*", "*", "deployer")],
    [("https://one", "shop", "deployer")],
    [("https://one", "shop", "other:deployer"), ("*", "*", "rest")],
    [("*", "*", "")],
    [("*", "*", " ")],
    [("*", "*", "bad*")],
    [("[", "*", "deployer")],
    [("*", "[", "deployer")],
    [("https://{one,two}", "shop*", "deployer")],
]

_ALL = {"applications": ["*"]}
DAILY = {"kind": "allow", "schedule": "0 9 * * *", "duration": "8h", **_ALL}
NIGHT = {"kind": "deny", "schedule": "0 22 * * *", "duration": "10h", **_ALL}
WEEKEND = {"kind": "deny", "schedule": "0 0 * * sat,sun", "duration": "24h", "manualSync": True, **_ALL}
WINDOWS = [
    [],
    [DAILY],
    [NIGHT],
    [DAILY, NIGHT],
    [WEEKEND],
    [NIGHT, WEEKEND],
    [{**DAILY, "manualSync": True}],
    [{**DAILY, "manualSync": True}, {**DAILY, "schedule": "0 12 * * *", "duration": "1h"}],
    [{**NIGHT, "manualSync": True}, WEEKEND],
    [{**DAILY, "timeZone": "Asia/Tokyo"}],
    [{**DAILY, "timeZone": "Mars/Base"}],
    [{**DAILY, "schedule": "*/15 * * * *", "duration": "5m"}],
    [{**DAILY, "schedule": "* * * * *", "duration": "1h"}],
    [{**DAILY, "schedule": "0 0 30 2 *", "duration": "1h"}],
    [{**NIGHT, "schedule": "0 0 1,15 * mon", "duration": "24h"}],
    [{**NIGHT, "schedule": "CRON_TZ=America/New_York 0 9 * * *", "duration": "1h"}],
    [{**NIGHT, "schedule": "@daily"}],
    [{**NIGHT, "schedule": "0 25 * * *"}],
    [{**NIGHT, "schedule": "0 9 * *"}],
    [{**NIGHT, "schedule": ""}],
    [{**NIGHT, "duration": "1 hour"}],
    [{**NIGHT, "duration": "10"}],
    [{**NIGHT, "duration": ""}],
    [{**NIGHT, "duration": "1d"}],
    [{**NIGHT, "duration": "-1h"}],
    [{**NIGHT, "duration": "0s"}],
    [{**NIGHT, "kind": "maybe"}],
]
MOMENTS = [
    *("2026-05-04T08:59:59Z", "2026-05-04T09:00:00Z", "2026-05-04T09:00:00.000001Z", "2026-05-04T09:00:01Z"),
    *("2026-05-04T17:00:00Z", "2026-05-04T16:59:59.5Z", "2026-05-04T23:30:00Z", "2026-05-09T12:00:00Z"),
    *("2026-05-04T00:10:00Z", "2026-02-28T23:59:59Z", "2026-05-04T13:30:00+02:00", "2026-01-01T12:20:00Z"),
]  # fmt: skip
CONCERNS = [
    {"applications": ["shop-*"]},
    {"namespaces": ["prod"]},
    {"clusters": ["one"]},
    {"clusters": ["https://*"]},
    {"applications": ["shop-*"], "namespaces": ["prod"]},
    {"applications": ["shop-*"], "namespaces": ["prod"], "andOperator": True},
    {"applications": ["other"], "clusters": ["one"], "andOperator": True},
    {"clusters": ["one"], "namespaces": ["p*"], "andOperator": True},
    {"applications": ["!shop-web"]},
    {"applications": ["["]},
    {"andOperator": True},
    {},
]
APPLICATIONS = [
    ("shop-web", "", "one", "prod"),
    ("shop-web", "https://two", "", "test"),
    ("other", "", "one", "prod"),
    ("other", "https://two", "", ""),
]


def questions():
    """All of them, always in the same order."""
    asked = [{"ask": "glob", "pattern": p, "text": t, "separators": s} for p in GLOBS for t in TEXTS for s in ("", "/")]
    asked += [{"ask": "path", "pattern": p, "text": t} for p in PATHS for t in PATH_TEXTS]
    asked += [{"ask": "source", "spec": {"sourceRepos": s}, "text": url} for s in SOURCES for url in URLS]
    asked += [_destination(rules, place) for rules in DESTINATIONS for place in PLACES]
    only = {"permitOnlyProjectScopedClusters": True}
    for scoped in ([], [{"server": "https://one", "name": "x"}], [{"server": "https://x", "name": "two"}]):
        asked += [{**_destination([("*", "", "*")], place, only), "scoped": scoped} for place in PLACES]
    asked += [
        {"ask": "kind", "spec": spec, "group": group, "kind": kind, "text": name, "namespaced": namespaced}
        for spec in LISTS
        for group, kind, name, namespaced in KINDS
    ]
    asked += [{"ask": "namespace", "spec": {"sourceNamespaces": s}, "text": each} for s in NAMESPACES for each in FROM]
    asked += [
        {
            "ask": "account",
            "spec": {"destinationServiceAccounts": _accounts(rows)},
            "text": "apps",
            "target": _place(*place),
        }
        for rows in ACCOUNTS
        for place in (("https://one", "", "shop"), ("https://two", "", "shop-2"), ("https://three", "", ""))
    ]
    asked += [
        {
            "ask": "matching",
            "spec": {"syncWindows": [{**window, "kind": "deny"}]},
            "text": name,
            "target": _place(*place),
        }
        for window in CONCERNS
        for name, *place in APPLICATIONS
    ]
    for windows, at in product(WINDOWS, MOMENTS):
        asked.append({"ask": "open", "spec": {"syncWindows": windows}, "at": at})
        asked += [
            {"ask": "allowed at", "spec": {"syncWindows": windows}, "at": at, "manual": manual}
            for manual in (False, True)
        ]
    return asked


def recorded():
    """The answers in the order of the questions. Most are a letter: yes, no, or that it was refused."""
    kept = decode(RECORDED.read_bytes())
    answers = [dict(_LETTERS[letter]) for letter in "".join(kept["letters"])]
    for position, answer in kept["more"].items():
        answers[int(position)] |= answer
    return answers


def to_record(answers):
    letters = "".join("f" if "fault" in each else "y" if each["yes"] else "n" for each in answers)
    more = {}
    for position, (question, each) in enumerate(zip(questions(), answers, strict=True)):
        # What globs are refused for is said in our own words; what windows are refused for is upstream's to say.
        words = {"fault"} if question["ask"] in {"open", "allowed at"} else set()
        kept = {key: each[key] for key in {"which", "said"} | words if each.get(key)}
        if kept:
            more[str(position)] = kept
    return encode({"letters": [letters[at : at + 120] for at in range(0, len(letters), 120)], "more": more})


_LETTERS = {"y": {"yes": True}, "n": {"yes": False}, "f": {"yes": False, "fault": ""}}


def our_answer(question):
    """In the form in which the program beside the conformance tests answers."""
    try:
        return _ASKED[question["ask"]](question)
    except (InvalidInput, Forbidden) as fault:
        return {"yes": False, "fault": fault.what}


def project(question):
    return Project("shop", converted(question.get("spec", {}), AppProjectSpec))


def _windows(question):
    return project(question).spec.sync_windows


def _cluster(place):
    return Cluster(server=place["server"], name=place["name"])


def _our_destination(question):
    place = question["target"]
    scoped = [_cluster(each) for each in question.get("scoped", ())]
    return {"yes": permits_destination(project(question), _cluster(place), place["namespace"], lambda _: scoped)}


def _our_account(question):
    place = question["target"]
    user = service_account_for(
        project(question), place["server"], place["namespace"], application_namespace="apps", enforced=False
    )
    return {"yes": bool(user), "said": user or ""}


def _our_matching(question):
    windows = _windows(question)
    target = converted(question["target"], ApplicationDestination)
    return _positions(windows, matching(windows, question["text"], target)) | {"yes": False}


def _our_open(question):
    at = datetime.fromisoformat(question["at"])
    open_ = [window for window in _windows(question) if is_open(window, at, at)]
    return _positions(_windows(question), open_) | {"yes": bool(open_)}


def _positions(windows, some):
    found = [position for position, window in enumerate(windows) if window in some]
    return {"which": found} if found else {}


def _our_past(question):
    at = datetime.fromisoformat(question["at"])
    return {"yes": was_allowed(_windows(question), at, at, manual=question["manual"])}


def _our_present(question):
    now, started = (datetime.fromisoformat(question[key]) if question.get(key) else None for key in ("at", "started"))
    return {"yes": allowed(_windows(question), manual=question["manual"], now=now, operation_started=started)}


def _our_kind(question):
    kind = GroupKind(question["group"], question["kind"])
    return {"yes": permits_kind(project(question), kind, question["text"], namespaced=question["namespaced"])}


_ASKED = {
    "glob": lambda q: {"yes": glob(q["pattern"], q["separators"]).matches(q["text"])},
    "path": lambda q: {"yes": path_glob(q["pattern"]).matches(q["text"])},
    "source": lambda q: {"yes": permits_source(project(q), q["text"])},
    "destination": _our_destination,
    "kind": _our_kind,
    "namespace": lambda q: {"yes": permits_application_namespace(project(q), q["text"], "argocd")},
    "account": _our_account,
    "matching": _our_matching,
    "open": _our_open,
    "allowed at": _our_past,
    "allowed": _our_present,
}


def _destination(rules, place, more=()):
    rows = [_place(*row) for row in rules]
    return {"ask": "destination", "spec": {"destinations": rows, **dict(more)}, "target": _place(*place)}


def _place(server, name, namespace):
    return {"server": server, "name": name, "namespace": namespace}


def _accounts(rows):
    return [{"server": s, "namespace": n, "defaultServiceAccount": a} for s, n, a in rows]
