"""Policies are decided as the real Argo CD decides them: by its own packages, claims and projects included."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.access.policy.dice import Asked, Dice, Scene, built_in_text, roles_of
from tests.access.policy.records import RECORDS

from plumbline.access.policy.builtin import built_in
from plumbline.access.policy.projects import role_faults
from plumbline.base.environment import environment
from plumbline.base.json import decode, encode

pytestmark = pytest.mark.conformance

ARGO_CD = "github.com/argoproj/argo-cd/v3@v3.5.6"
ENGINE = "github.com/argoproj/argo-cd/gitops-engine"
ENGINE_VERSION = "v0.0.0-20260914071520-c9c369efcc5b"
PROGRAM = Path(__file__).with_name("policy_oracle") / "main.go"
# As `make peers` builds Argo CD, whose packages are then already compiled.
BUILD = {
    "GOFLAGS": "-mod=mod -buildvcs=false -trimpath",
    "GOSUMDB": "off",
    "GOTOOLCHAIN": "local",
    "CGO_ENABLED": "0",
}
SCENES = 1500


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A program that decides with Argo CD's own code."""
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    folder = tmp_path_factory.mktemp("policies")

    def run(*arguments):
        done = subprocess.run(
            [go, *arguments], cwd=folder, env=environment() | BUILD, check=True, capture_output=True, timeout=600
        )
        return done.stdout

    shutil.copy(PROGRAM, folder)
    source = Path(decode(run("mod", "download", "-json", ARGO_CD))["Dir"])
    for name in ("go.mod", "go.sum"):
        (folder / name).write_bytes((source / name).read_bytes())
    replaced = f"-replace={ENGINE}={ENGINE}@{ENGINE_VERSION}"
    run("mod", "edit", "-module", "example.org/oracle", replaced, f"-require={ARGO_CD}")
    run("build", "-o", "oracle", ".")

    def answers(scenes, *, ours=True):
        asking = [
            {
                "data": scene.entries,
                "scopes": scene.scopes,
                "builtin": built_in_text(scene.entries.get("policy.matchMode")) if ours else "",
                "projects": scene.projects,
                "asked": [asked._asdict() for asked in scene.asked],
            }
            for scene in scenes
        ]
        said = subprocess.run([folder / "oracle"], input=encode(asking), capture_output=True, check=True, timeout=300)
        return decode(said.stdout)

    return answers


def test_random_policies_projects_and_people(told):
    scenes = [Dice(seed).scene() for seed in range(SCENES)]
    theirs = told(scenes)
    assert not any(each["fault"] for each in theirs)
    differing = [
        (seed, asked, yes)
        for seed, (scene, each) in enumerate(zip(scenes, theirs, strict=True))
        for policy in [scene.policy()]
        for asked, yes in zip(scene.asked, each["allowed"], strict=True)
        if policy.decide(*asked.question).allowed is not yes
    ]
    assert differing == []
    decisions = [yes for each in theirs for yes in each["allowed"]]
    assert len(decisions) >= 18_000
    assert sum(decisions) >= 2_000


def test_those_who_are_not_logged_in_have_the_default_role_alone(told):
    scenes = [Dice(seed).scene() for seed in range(200)]
    scenes = [scene._replace(asked=[asked._replace(anonymous=True) for asked in scene.asked]) for scene in scenes]
    theirs = [yes for each in told(scenes) for yes in each["allowed"]]
    ours = [policy.allows(*asked.question) for scene in scenes for policy in [scene.policy()] for asked in scene.asked]
    assert ours == theirs
    assert set(ours) == {True, False}


DIFFERENT = [
    ("p, , logs, get, *, allow", {"sub": "alice"}, False, "a line without a subject is for nobody"),
    ("p, , logs, get, *, allow", {}, True, "and so it is for those who are not logged in"),
    ("g, ops, role:readonly", {"groups": ["ops"]}, False, "whoever has no name has no groups"),
    (
        "p, alice, logs, get, *, allow\np, alice, logs, get, [, deny",
        {"sub": "alice"},
        False,
        "what cannot be read denies",
    ),
]


def test_where_we_differ_we_permit_less(told):
    """As docs/access-policies.md says. Should upstream change its mind, this page is to follow."""
    scenes = [
        Scene({"policy.csv": csv}, None, {}, [Asked(claims, "logs", "get", "a/b", anonymous)])
        for csv, claims, anonymous, _ in DIFFERENT
    ]
    assert [each["allowed"] for each in told(scenes)] == [[True]] * len(DIFFERENT)
    assert [scene.policy().allows(*scene.asked[0].question) for scene in scenes] == [False] * len(DIFFERENT)


OURS = {"changes", "infrastructure", "secrets", "terraform"}
"""Resources that Argo CD does not know."""


def test_the_built_in_lines_are_those_of_argo_cd_but_for_resources_of_ours(told):
    """Each of the two lists is compared with what the real list allows, question by question."""
    asked = [
        Asked({"sub": who}, resource, action, name)
        for who in ("admin", "role:admin", "role:readonly", "somebody")
        for resource in sorted({line.fields[1] for line in built_in().rules} - OURS | {"extensions", "*", ""})
        for action in ("get", "create", "update", "update/x", "delete", "delete/x", "sync", "override", "action/x", "invoke", "")
        for name in ("a/b", "a", "")
    ]  # fmt: skip
    scene = Scene({}, None, {}, asked)
    [real] = told([scene], ours=False)
    policy = scene.policy()
    assert [policy.allows(*each.question) for each in asked] == real["allowed"]


@pytest.mark.parametrize("links", range(8, 13))
def test_inheritance_ends_where_theirs_ends(told, links):
    chain = [f"g, role:{at}, role:{at + 1}" for at in range(1, links)]
    lines = ["g, alice, role:1", *chain, f"g, role:{links}, role:1", f"p, role:{links}, applications, get, *, allow"]
    scene = Scene({"policy.csv": "\n".join(lines)}, None, {}, [Asked({"sub": "alice"}, "applications", "get", "a/b")])
    [real] = told([scene])
    assert [scene.policy().allows(*scene.asked[0].question)] == real["allowed"] == [links <= 10]


def test_the_same_lines_can_be_read(told):
    """One scene for each line: a policy is refused as a whole, there and here."""
    scenes = [
        Scene({"policy.csv": line}, None, {}, [Asked({"sub": "alice"}, "logs", "get", "a/b,c")]) for line in RECORDS
    ]
    theirs = told(scenes)
    ours = [scene.policy() for scene in scenes]
    assert [bool(policy.faults) for policy in ours] == [each["fault"] for each in theirs]
    for scene, policy, each in zip(scenes, ours, theirs, strict=True):
        if not each["fault"]:
            assert [policy.allows(*scene.asked[0].question)] == each["allowed"], scene.entries


def project(*policies, name="ci", groups=()):
    return [{"name": name, "policies": list(policies), "groups": list(groups)}]


PROJECTS = [
    project("p, proj:shop:ci, applications, sync, shop/*, allow"),
    project("p,  proj:shop:ci ,applications,sync,shop/a.b-c_d/*,deny "),
    project("p, proj:shop:ci, applications, sync, shop/*"),
    project("p, proj:shop:dev, applications, sync, shop/*, allow"),
    project("p, proj:shop:ci, certificates, get, shop/*, allow"),
    project("p, proj:shop:ci, *, get, shop/*, allow"),
    project("p, proj:shop:ci, exec, create, shop/ns/app, allow"),
    project("p, proj:shop:ci, applications, rollback, shop/*, allow"),
    project("p, proj:shop:ci, applications, action/apps/Deployment/restart, shop/*, allow"),
    project("p, proj:shop:ci, applications, my-update/x, shop/*, allow"),
    project("p, proj:shop:ci, applications, get, */*, allow"),
    project("p, proj:shop:ci, applications, get, shopping/x, allow"),
    project("p, proj:shop:ci, applications, get, shop/a/b/c, allow"),
    project("p, proj:shop:ci, applications, get, shop/ü, allow"),
    project("p, proj:shop:ci, repositories, get, shop/https://git.example.org, allow"),
    project("p, proj:shop:ci, applications, get, shop/*, maybe"),
    project("g, alice, proj:shop:ci"),
    project(*["p, proj:shop:ci, applications, get, shop/*, allow"] * 2),
    project(name="-ci"),
    project(name="c_i-2"),
    project(name=""),
    project() * 2,
    project(groups=["team", "team"]),
    project(groups=["team", '"CN=x,OU=y"', "my team"]),
    project(groups=["CN=x,OU=y"]),
    project(groups=[""]),
    project(groups=[" "]),
    project(groups=[" team"]),
    project(groups=["team\t"]),
    project(groups=['"a"b"']),
    project(groups=['""']),
    project(groups=['"']),
    project(groups=["a\nb"]),
]


def test_the_same_roles_can_be_saved(told):
    theirs = told([Scene({}, None, {"shop": roles}, []) for roles in PROJECTS])
    ours = [bool(role_faults("shop", roles_of({"shop": roles})["shop"])) for roles in PROJECTS]
    assert ours == [each["invalid"]["shop"] for each in theirs]
