"""Everything else that goes into a run: environment, files, paths, and one word for all of it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.terraform.objects import TERMS, Cluster, config_map, secret, terraform

from plumbline.base.errors import Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.kube.names import Ref
from plumbline.terraform.inputs import Gathered, Ungathered, gathered
from plumbline.terraform.inputs.digest import digest
from plumbline.terraform.work import Argument, Placed, Workplace

CLUSTER = (
    secret({"key": "canary", "BAD KEY": "x", "OK": "1"}),
    secret({"my.tfrc": "credentials {}"}, name="rc"),
    secret({"my.tfrc": "x", "other": "y"}, name="two"),
    secret({"my.conf": "x"}, name="conf"),
    secret({"my.tfrc": "x"}, name="rc", namespace="team-b"),
    config_map({"A": "from-map", "OK": "2"}),
)


async def answer(spec, terms=TERMS):
    subject = terraform(spec)
    return await gathered(subject.ref, subject.spec, Cluster(*CLUSTER), terms)


async def workplace(spec):
    found = await answer(spec)
    assert isinstance(found, Gathered), found
    return found.workplace


def pod(**spec):
    return {"runnerPodTemplate": {"spec": spec}}


ENVIRONMENTS = [
    (pod(env=[{"name": "A", "value": "b"}]), {"A": "b"}, "a value"),
    (pod(env=[{"name": "A"}]), {"A": ""}, "no value is an empty one"),
    (pod(env=[{"name": "A", "value": "$(B)"}]), {"A": "$(B)"}, "nothing is expanded, as upstream has it"),
    (pod(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "key"}}}]), {"A": "canary"}, "of a Secret"),
    (pod(env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "A"}}}]), {"A": "from-map"}, "of a ConfigMap"),
    (pod(env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "no", "optional": True}}}]), {}, "optional"),
    (pod(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}]), {"A": "team-a"}, "a field that is known"),
    (pod(envFrom=[{"configMapRef": {"name": "c"}}], env=[{"name": "A", "value": "own"}]), {"A": "own", "OK": "2"}, "env wins over envFrom"),
    (pod(envFrom=[{"configMapRef": {"name": "c"}}, {"secretRef": {"name": "s"}}]), {"A": "from-map", "OK": "1", "key": "canary"}, "later ones win, and what is no name is left out"),
    (pod(envFrom=[{"prefix": "P_", "configMapRef": {"name": "c"}}]), {"P_A": "from-map", "P_OK": "2"}, "with a prefix"),
    (pod(envFrom=[{"secretRef": {"name": "no", "optional": True}}, {}]), {}, "optional, or nothing at all"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "expected", "why"), ENVIRONMENTS, ids=[each[-1] for each in ENVIRONMENTS])
async def test_the_environment_is_that_of_the_runners_pod(spec, expected, why):
    found = await workplace(spec)
    assert {each.name: each.value.reveal().decode() for each in found.environment} == expected
    assert "canary" not in repr(found)


@pytest.mark.parametrize(
    "name",
    ["TF_CLI_ARGS", "TF_CLI_ARGS_plan", "TF_VAR_x", "TF_LOG", "TF_LOG_PATH", "TF_WORKSPACE", "TF_DATA_DIR", "HOME", "LD_PRELOAD", "TF_REATTACH_PROVIDERS", "a=b", "", "A\nB"],
)  # fmt: skip
async def test_variables_that_change_what_the_tool_is_asked_are_refused(name):
    found = await answer(pod(env=[{"name": name, "value": "x"}]))
    assert (found.reason, found.error.code) == ("TFExecInitFailed", "invalid-input")


@pytest.mark.parametrize(
    ("spec", "reason", "said"),
    [
        (pod(env=[{"name": "A", "value": "a\0b"}]), "TFExecInitFailed", "cannot be set"),
        (
            pod(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "no", "key": "k"}}}]),
            "TFExecInitFailed",
            "not found",
        ),
        (
            pod(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]),
            "TFExecInitFailed",
            "within a pod",
        ),
        (pod(envFrom=[{"secretRef": {"name": "no"}}]), "TFExecInitFailed", "not found"),
        ({"cliConfigSecretRef": {"name": "no"}}, "TFExecNewFailed", "not found"),
        ({"cliConfigSecretRef": {"name": "two"}}, "TFExecNewFailed", "expect the secret to contain 1 data"),
        ({"cliConfigSecretRef": {"name": "conf"}}, "TFExecNewFailed", "expect the secret key to end with .tfrc"),
        (
            {"cliConfigSecretRef": {"name": "rc", "namespace": "team-b"}},
            "AccessDenied",
            "cannot access secret team-b/rc, cross-namespace references have been disabled",
        ),
        ({"path": "../up"}, "ArtifactFailed", "leads out"),
        ({"path": "a/../../up"}, "ArtifactFailed", "leads out"),
        ({"path": "a\0b"}, "ArtifactFailed", "no path"),
        ({"workspace": "-force"}, "SelectWorkspaceFailed", "cannot be its name"),
        ({"workspace": "a b"}, "SelectWorkspaceFailed", "cannot be its name"),
        ({"workspace": "a/b"}, "SelectWorkspaceFailed", "cannot be its name"),
        ({"tfVarsFiles": ["../x.tfvars"]}, "TFExecPlanFailed", "leads out"),
        ({"tfVarsFiles": ["dir/"]}, "TFExecPlanFailed", "names no file"),
    ],
)
async def test_what_cannot_be_used_stops_the_run_with_upstreams_reason(spec, reason, said):
    found = await answer(spec)
    assert isinstance(found, Ungathered)
    assert found.reason == reason
    assert said in str(found.error)


def mapping(path, location="home", key="key", name="s"):
    return {"fileMappings": [{"secretRef": {"name": name, "key": key}, "location": location, "path": path}]}


@pytest.mark.parametrize(
    ("path", "location", "expected", "why"),
    [
        (".aws/credentials", "home", ("home", ".aws/credentials"), "below home"),
        ("certs/ca.pem", "workspace", ("module", "certs/ca.pem"), "below the module"),
        ("/abs/file", "home", ("home", "abs/file"), "a leading slash is the folder itself"),
        ("a/./b//c", "home", ("home", "a/b/c"), "in its plain form"),
    ],
)
async def test_files_are_mapped_from_secrets(path, location, expected, why):
    found = await workplace(mapping(path, location))
    [placed] = [each for each in found.files if each.content == Plaintext("canary")]
    assert (placed.place, placed.path) == expected
    assert found.command_line_config == ""


@pytest.mark.parametrize(
    "spec",
    [
        mapping("../x"),
        mapping("a/../../x"),
        mapping("/"),
        mapping(""),
        mapping("a\nb"),
        mapping("a\\..\\b"),
        mapping("x" * 2000),
        mapping("x", key="no"),
        mapping("x", name="no"),
        mapping("backend_override.tf", "workspace"),
        {"cliConfigSecretRef": {"name": "rc"}, **mapping("my.tfrc")},
    ],
)
async def test_files_that_lead_out_or_replace_others_are_refused(spec):
    found = await answer(spec)
    assert isinstance(found, Ungathered)
    assert found.reason == "TFExecInitFailed"


async def test_a_file_in_place_of_the_variables_is_refused():
    found = await answer(mapping("generated.auto.tfvars.json", "workspace"))
    assert found.reason == "VarsGenerationFailed"


async def test_the_tools_own_configuration_is_below_home():
    found = await workplace({"cliConfigSecretRef": {"name": "rc"}})
    assert found.command_line_config == "my.tfrc"
    assert Placed("home", "my.tfrc", Plaintext("credentials {}")) in found.files


async def test_configuration_of_another_namespace_is_used_where_that_is_allowed():
    spec = {"cliConfigSecretRef": {"name": "rc", "namespace": "team-b"}}
    found = await answer(spec, TERMS._replace(cross_namespace=True))
    assert Ref("", "Secret", "team-b", "rc") in found.uses


async def test_configuration_that_is_mapped_under_its_usual_name_is_found():
    found = await workplace(mapping(".terraformrc"))
    assert found.command_line_config == ".terraformrc"


async def test_the_rest_is_as_the_object_says():
    found = await workplace(
        {"path": "./envs/prod/", "workspace": "blue", "tfVarsFiles": ["vars/a.tfvars"], "upgradeOnInit": False}
    )
    assert (found.path, found.workspace, found.var_files, found.upgrade) == (
        "envs/prod",
        "blue",
        ("vars/a.tfvars",),
        False,
    )
    usual = await workplace({})
    assert (usual.path, usual.workspace, usual.upgrade, usual.stateless) == ("", "default", True, False)


async def test_trouble_that_passes_is_not_an_answer():
    class Down(Cluster):
        async def secret(self, namespace, name):
            raise Unreachable("the API server cannot be reached")

    subject = terraform({"varsFrom": [{"kind": "Secret", "name": "s", "optional": True}]})
    with pytest.raises(Unreachable):
        await gathered(subject.ref, subject.spec, Down(), TERMS)


CHANGES = [
    {"path": "b"},
    {"workspace": "w"},
    {"files": (Placed("home", "a", Plaintext("b")),)},
    {"files": (Placed("module", "a", Plaintext("b")),)},
    {"files": (Placed("home", "ab", Plaintext("")),)},
    {"var_files": ("a",)},
    {"environment": (Argument("a", Plaintext("b")),)},
    {"environment": (Argument("ab", Plaintext("")),)},
    {"backend": (Argument("a", Plaintext("b")),)},
    {"command_line_config": "b"},
    {"upgrade": False},
    {"stateless": True},
]


def test_everything_that_goes_in_changes_the_digest():
    key = Plaintext("k")
    workplaces = [Workplace(), *(msgspec.structs.replace(Workplace(), **change) for change in CHANGES)]
    assert len({digest(each, key) for each in workplaces}) == len(workplaces)
    assert all(set(change) <= set(Workplace.__struct_fields__) for change in CHANGES)
    assert {field for change in CHANGES for field in change} == set(Workplace.__struct_fields__)


def test_a_digest_cannot_be_guessed_at_without_its_key():
    placed = Workplace(environment=(Argument("PIN", Plaintext("1234")),))
    assert digest(placed, Plaintext("k")) == digest(placed, Plaintext("k"))
    assert digest(placed, Plaintext("k")) != digest(placed, Plaintext("l"))


texts = st.text(max_size=3)
arguments = st.lists(st.tuples(texts, texts), max_size=3)


@given(arguments, arguments, arguments, arguments)
def test_no_two_workplaces_share_a_digest(left_environment, left_backend, right_environment, right_backend):
    def made(environment, backend):
        return Workplace(
            environment=tuple(Argument(name, Plaintext(value)) for name, value in environment),
            backend=tuple(Argument(name, Plaintext(value)) for name, value in backend),
        )

    same = (left_environment, left_backend) == (right_environment, right_backend)
    key = Plaintext("k")
    left, right = made(left_environment, left_backend), made(right_environment, right_backend)
    assert (digest(left, key) == digest(right, key)) is same


async def test_the_digest_moves_with_a_value_in_a_secret_and_with_nothing_else():
    subject = terraform({"varsFrom": [{"kind": "Secret", "name": "s"}]})

    async def of(**values):
        return (await gathered(subject.ref, subject.spec, Cluster(secret(values)), TERMS)).digest

    assert await of(a="1", b="2") == await of(b="2", a="1")
    assert await of(a="1") != await of(a="2")
