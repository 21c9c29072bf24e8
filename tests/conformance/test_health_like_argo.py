"""Our health rules against Argo CD's own test data, and against the very scripts that it runs.

Its sources come from the Go module cache, downloaded if they are not there, and nothing of them is copied. Two
questions: do we say the same of every object that Argo CD tests itself with, and do we still when those objects are
changed at random?
"""

import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import lupa.luajit21
import pytest

from plumbline.base.documents import load_documents
from plumbline.base.environment import environment
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.kube.health import assess
from plumbline.kube.health.assessing import by_rule, rule_for
from plumbline.kube.names import GroupVersionKind

pytestmark = pytest.mark.conformance

ARGO_CD = ("github.com/argoproj/argo-cd/v3@v3.5.6", "h1:twzdsPiPufKLRtEqD1Jg3FqtuZmSHLTIxs7t6fSkjlk=")
ENGINE = (
    "github.com/argoproj/argo-cd/gitops-engine@v0.0.0-20260914071520-c9c369efcc5b",
    "h1:0tKOg3Fxd5cqVemntg63MqCjk7wqVV32vbVGWOGyhR8=",
)

CASES = 1127
SAME_STATUS = 1127
"""Of CASES; may only go up."""
SAME_ANSWER = 1118
"""Status and message, of CASES; may only go up."""

BUG_REPORTS = "the original goes on to ask for a bug report to its own project"
FINALIZERS = "the original explains its finalizers; who deletes the object reads `Pending deletion` in both"
OTHER_WORDS = {
    "beat.k8s.elastic.co/Beat/testdata/invalid.yaml": BUG_REPORTS,
    "beat.k8s.elastic.co/Beat/testdata/unknown.yaml": BUG_REPORTS,
    "elasticsearch.k8s.elastic.co/Elasticsearch/testdata/unknown.yaml": BUG_REPORTS,
    "pxc.percona.com/PerconaXtraDBCluster/testdata/unknown.yaml": BUG_REPORTS,
    "promoter.argoproj.io/ChangeTransferPolicy/testdata/deleting.yaml": FINALIZERS,
    "promoter.argoproj.io/ClusterScmProvider/testdata/deleting.yaml": FINALIZERS,
    "promoter.argoproj.io/GitRepository/testdata/deleting.yaml": FINALIZERS,
    "promoter.argoproj.io/PullRequest/testdata/deleting.yaml": FINALIZERS,
    "promoter.argoproj.io/ScmProvider/testdata/deleting.yaml": FINALIZERS,
}

CHANGES_PER_KIND = 100
COMPARED = 20_000
SAME_CHANGED_STATUS = 0.999
SAME_CHANGED_ANSWER = 0.998

NO_CONDITIONS = "an empty list of conditions is no proof of health"
PAUSED_IN_STEP = "Synced True with a reason that says paused, which no provider writes"
NO_GENERATION = "an object without generation, which no server gives out, is not late"
OTHER_STATUS = {
    "_.cnrm.cloud.google.com/_": NO_GENERATION,
    "policy.open-cluster-management.io/OperatorPolicy": NO_GENERATION,
    "k8s.mariadb.com/Backup": NO_CONDITIONS,
    "k8s.mariadb.com/MariaDB": NO_CONDITIONS,
    "mariadb.mmontes.io/MariaDB": NO_CONDITIONS,
    "cloudfront.aws.crossplane.io/Distribution": PAUSED_IN_STEP,
    "rds.aws.crossplane.io/DBCluster": PAUSED_IN_STEP,
    "route53.aws.crossplane.io/ResourceRecordSet": PAUSED_IN_STEP,
    "helm.toolkit.fluxcd.io/HelmRelease": "tests that pass besides the release do not make it worse",
    "serving.kserve.io/InferenceService": "a model without a state of transition",
    "zookeeper.pravega.io/ZookeeperCluster": "no replicas at all are no ensemble",
}


class Case(NamedTuple):
    name: str
    obj: JsonObject
    answer: tuple[str, str]


def fetched(module: tuple[str, str], folder: Path) -> Path:
    name, checksum = module
    done = subprocess.run(
        ["go", "mod", "download", "-json", name],
        cwd=folder,
        env={**environment(), "GOFLAGS": "-mod=mod", "GOSUMDB": "off"},
        capture_output=True,
        check=True,
        timeout=600,
    )
    found = decode(done.stdout)
    assert found["Sum"] == checksum, "the module proxy gave something else"
    return Path(found["Dir"])


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    return fetched(ARGO_CD, tmp_path_factory.mktemp("argo-cd")) / "resource_customizations"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return fetched(ENGINE, tmp_path_factory.mktemp("engine")) / "pkg" / "health"


def read(path: Path) -> JsonObject:
    return load_documents(path.read_bytes(), source=path.name, repeats="report")[0].value


def cases_of(folder: Path, root: Path) -> Iterator[Case]:
    for test in read(folder / "health_test.yaml")["tests"]:
        named = {key.lower(): value for key, value in test.items()}
        expected, path = named.get("healthstatus") or {}, folder / named["inputpath"]
        answer = expected.get("status") or "", expected.get("message") or ""
        yield Case(path.relative_to(root).as_posix(), read(path), answer)


def folders(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.rglob("health.lua"))


def ours(obj: JsonObject) -> tuple[str, str]:
    """What the rule says, deletion left out: so does Argo CD where it tests its scripts."""
    rule = rule_for(GroupVersionKind.of(obj).group_kind)
    assert rule is not None
    health = by_rule(rule, obj)
    return ("", "") if health is None else (str(health.status), health.message)


def test_every_object_that_argo_cd_tests_itself_with_gets_the_same_answer(scripts):
    found = [(case, ours(case.obj)) for folder in folders(scripts) for case in cases_of(folder, scripts)]
    assert len(found) == CASES
    assert {case.name for case, answer in found if answer != case.answer} == set(OTHER_WORDS)
    assert sum(answer[0] == case.answer[0] for case, answer in found) >= SAME_STATUS
    assert sum(answer == case.answer for case, answer in found) >= SAME_ANSWER


def test_every_object_that_the_engine_tests_itself_with_gets_the_same_status(engine):
    text = (engine / "health_test.go").read_text()
    judged = re.findall(r'assertAppHealth\(t, "([^"]+)", HealthStatus(\w+)\)', text)
    silent = re.findall(r'assert\.Nil\(t, getHealthStatus\(t, "([^"]+)"\)\)', text)
    assert (len(judged), len(silent)) == (44, 3)
    # The engine by itself has no rule for this kind; Argo CD has one, and so have we.
    silent.remove("./testdata/knative-service.yaml")
    expected = {**dict(judged), **dict.fromkeys(silent, "")}
    found = {name: assess(read(engine / name), generic_rule=False) for name in expected}
    assert {name: str(health.status) if health else "" for name, health in found.items()} == expected


def table(lua: lupa.luajit21.LuaRuntime, value: Json) -> Json:
    if isinstance(value, dict):
        return lua.table_from({key: table(lua, item) for key, item in value.items() if item is not None})
    return lua.table_from([table(lua, item) for item in value]) if isinstance(value, list) else value


def theirs(script: str, obj: JsonObject) -> tuple[str, str] | None:
    """What one of Argo CD's scripts says, or None where it fails."""
    lua = lupa.luajit21.LuaRuntime()
    lua.globals().obj = table(lua, obj)
    try:
        result = lua.execute(script)
    except lupa.luajit21.LuaError:
        return None
    found = {} if result is None else dict(result.items())
    message = found.get("message")
    return found.get("status") or "", "" if message is None else str(message)


def places(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


def within(value: Json, path: tuple[str | int, ...]) -> Json:
    for key in path:
        value = value[key]
    return value


class Changes:
    """Objects like those of one kind's cases, with up to four fields dropped, shuffled or set to a neighbour's value."""

    def __init__(self, cases: list[Case], chance: random.Random) -> None:
        self._cases = cases
        self._chance = chance
        self._seen: dict[str | int, list[Json]] = defaultdict(list)
        for case in cases:
            for path in places(case.obj):
                value = within(case.obj, path)
                if not isinstance(value, dict | list):
                    self._seen[path[-1]].append(value)

    def __iter__(self) -> Iterator[JsonObject]:
        for _ in range(CHANGES_PER_KIND):
            obj = decode(encode(self._chance.choice(self._cases).obj))
            for _ in range(self._chance.randint(1, 4)):
                self._change(obj)
            if not repeated(obj.get("status")):
                yield obj

    def _change(self, obj: JsonObject) -> None:
        found = [path for path in places(obj) if path[0] in {"metadata", "spec", "status"}]
        reported = [path for path in found if path[0] == "status"]
        choice = reported if reported and self._chance.random() < 0.8 else found
        if not choice:
            return
        *where, key = self._chance.choice(choice)
        holder = within(obj, tuple(where))
        dice = self._chance.random()
        if dice < 0.25:
            del holder[key]
        elif isinstance(holder, list) and dice < 0.4:
            self._chance.shuffle(holder)
        else:
            holder[key] = self._neighbour(key, holder[key])

    def _neighbour(self, key: str | int, value: Json) -> Json:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int | float):
            return self._chance.choice([0, 1, 2, value, value + 1])
        if value in ("True", "False", "Unknown"):
            return self._chance.choice(["True", "False", "Unknown"])
        same = [seen for seen in self._seen[key] if isinstance(seen, str)] if isinstance(value, str) else []
        return self._chance.choice(same) if same else value


def repeated(value: Json) -> bool:
    """Whether a list of conditions has a type twice, which the API conventions rule out."""
    if isinstance(value, dict):
        return any(map(repeated, value.values()))
    if not isinstance(value, list):
        return False
    types = [item["type"] for item in value if isinstance(item, dict) and "type" in item]
    return len(types) != len(set(map(str, types))) or any(map(repeated, value))


def comparable(answer: tuple[str, str]) -> tuple[str, str]:
    """Without what is known to be said in other words."""
    message = answer[1].partition(" Ensure your ArgoCD")[0].replace("3cale", "3scale")
    return answer[0], message.partition(" is being deleted")[0].rstrip(". -,")


def compared(folder: Path, root: Path, chance: random.Random) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    name, script = folder.relative_to(root).as_posix(), (folder / "health.lua").read_text()
    for obj in Changes(list(cases_of(folder, root)), chance):
        kind = GroupVersionKind.of(obj).group_kind
        own = root / kind.group / kind.kind / "health.lua"
        if own.exists() if "_" in name else own.parent != folder:
            continue
        answer = theirs(script, obj)
        if answer is not None:
            yield comparable(answer), comparable(ours(obj))


def test_objects_changed_at_random_get_the_answer_of_argo_cds_scripts(scripts):
    chance = random.Random(20260914)  # noqa: S311 - chance that can be repeated
    found = {folder: list(compared(folder, scripts, chance)) for folder in folders(scripts)}
    pairs = [pair for each in found.values() for pair in each]
    assert len(pairs) > COMPARED
    differing = {folder for folder, each in found.items() if any(want[0] != got[0] for want, got in each)}
    assert {folder.relative_to(scripts).as_posix() for folder in differing} - set(OTHER_STATUS) == set()
    assert sum(want[0] == got[0] for want, got in pairs) / len(pairs) > SAME_CHANGED_STATUS
    assert sum(want == got for want, got in pairs) / len(pairs) > SAME_CHANGED_ANSWER
