import msgspec
import pytest
from tests.render.tools.programs import program, saying

from plumbline.base.errors import Forbidden, InvalidInput, ToolFailed
from plumbline.base.tree import MemoryTree
from plumbline.base.virtualtime import LoopClock
from plumbline.kinds.application import ApplicationSource, ApplicationSourceHelm, HelmFileParameter, HelmParameter
from plumbline.render.helm import Dependency, Helm
from plumbline.render.renderer import Renderer
from plumbline.render.requests import App, Capabilities, Request
from plumbline.render.tools import Toolbox

FILES = {
    "charts/c/Chart.yaml": b"apiVersion: v2\nname: c\nversion: '1'\n",
    "charts/c/templates/a.yaml": b"a",
    "charts/c/prod.yaml": b"x: prod\n",
    "charts/lib/Chart.yaml": b"name: lib\n",
    "motd": b"hello",
}
PRINTS = """cat <<'END'
---
# Source: c/templates/a.yaml
kind: A
a: {x: 1, x: 2}
---
kind: B
END
echo 'coalesce.go:286: warning: cannot overwrite table' >&2"""


@pytest.fixture
def helm(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")

    def made(body, charts=None):
        program(tmp_path / "bin", "helm", saying("v3.22.0", body))
        return Helm(Toolbox(tmp_path / "cache", build=None), charts)

    return made


def request(files=None, links=None, refs=None, **options):
    return Request(
        source=ApplicationSource(
            repo_url="x", path="charts/c", helm=ApplicationSourceHelm(**options) if options else None
        ),
        tree=MemoryTree(files or FILES, links),
        place="charts/c",
        app=App(name="shop", instance_name="ns_shop", namespace="prod"),
        capabilities=Capabilities(kube_version="v1.31.2", api_versions=("v1", "apps/v1")),
        refs=refs or {},
    )


async def arguments(helm, asked, charts=None):
    """What Helm is asked, without our folders."""
    with pytest.raises(ToolFailed) as raised:
        await helm('shift; for each in "$@"; do echo "$each" >&2; done; exit 1', charts).render(asked)
    return raised.value.why.split("\n")


async def test_objects_say_their_template_and_warnings_are_passed_on(helm):
    output = await helm(PRINTS).render(request())
    assert [each.object for each in output.found] == [{"kind": "A", "a": {"x": 2}}, {"kind": "B"}]
    assert [each.origin.path for each in output.found] == ["charts/c/templates/a.yaml", "charts/c/Chart.yaml"]
    assert output.warnings == (
        "cannot overwrite table",
        "charts/c/templates/a.yaml sets a.x twice; the last one counts",
    )


async def test_helm_is_asked_what_argo_cd_asks_it(helm):
    said = await arguments(helm, request(release_name="own", skip_crds=True))
    assert said == ["exit code 1: charts/c", "--name-template", "own", "--namespace", "prod", "--kube-version", "1.31.2",
                    "--api-versions", "v1,apps/v1"]  # fmt: skip


async def test_values_and_parameters_come_in_argo_cds_order(helm):
    said = await arguments(
        helm,
        request(
            value_files=("prod.yaml",), values="a: 1", namespace="n", kube_version="1.30", api_versions=("x/v1",),
            parameters=(HelmParameter(name="p", value="1"),), skip_tests=True,
        ),
    )  # fmt: skip
    assert said == [
        "exit code 1: --kube-version", "1.30", "--set", "p=1", "--values", "prod.yaml", "--values",
        "the application's own values", "--api-versions", "x/v1", "--include-crds", "--skip-tests",
    ]  # fmt: skip


async def test_files_hold_what_they_should(helm, tmp_path):
    body = (
        """for each in "$@"; do case "$each" in *values/*) f="${each#*=}"; echo "$(cat $f)" >&2;; esac; done; exit 1"""
    )
    asked = request(
        value_files=("prod.yaml", "$ref/v.yaml"),
        values_object={"own": True},
        file_parameters=(HelmFileParameter(name="m", path="/motd"),),
        refs={"ref": MemoryTree({"v.yaml": b"x: ref"})},
    )
    with pytest.raises(ToolFailed) as raised:
        await helm(body).render(asked)
    assert raised.value.why == "exit code 1: hello\nx: prod\nx: ref\nown: true"


async def test_a_link_that_leads_out_refuses_the_chart(helm):
    with pytest.raises(InvalidInput, match="leads out of the source"):
        await helm(PRINTS).render(request(links={"charts/c/values.yaml": "/etc/passwd"}))


class Bringing:
    def __init__(self):
        self.asked, self.permitted = [], []

    def permit(self, request, wanted):
        assert self.asked == [], "before anything is fetched"
        self.permitted += [each.name for each in wanted]

    async def dependency(self, request, wanted):
        self.asked.append((request.app.name, wanted))
        return MemoryTree({"Chart.yaml": b"name: far\n", "templates/x": b""})

    async def values(self, request, address):
        self.asked.append((request.app.name, address))
        return b"x: far"


DEPENDING = FILES | {
    "charts/c/Chart.yaml": FILES["charts/c/Chart.yaml"]
    + b"dependencies:\n- {name: lib, version: 1, repository: 'file://../lib'}\n"
    + b"- {name: far, version: ^2, repository: 'https://charts.example.com'}\n"
}


async def test_dependencies_and_values_from_elsewhere_are_brought_to_helm(helm):
    bringing = Bringing()
    body = 'cd "$2"; find charts -type f | sort >&2; exit 1'
    with pytest.raises(ToolFailed) as raised:
        await helm(body, bringing).render(request(DEPENDING, value_files=("https://example.com/v.yaml",)))
    assert raised.value.why == "exit code 1: charts/far/Chart.yaml\ncharts/far/templates/x\ncharts/lib/Chart.yaml"
    assert bringing.asked == [
        ("shop", Dependency("far", "^2", "https://charts.example.com")),
        ("shop", "https://example.com/v.yaml"),
    ]


async def test_several_versions_of_one_chart_lie_side_by_side(helm):
    files = FILES | {
        "charts/c/Chart.yaml": FILES["charts/c/Chart.yaml"]
        + b"dependencies:\n- {name: far, version: ^1, repository: 'oci://x'}\n- {name: far, version: ^2, repository: 'oci://x'}\n"
    }
    bringing = Bringing()
    body = 'cd "$2"; find charts -name Chart.yaml | sort >&2; exit 1'
    with pytest.raises(ToolFailed) as raised:
        await helm(body, bringing).render(request(files))
    assert raised.value.why == "exit code 1: charts/far/Chart.yaml\ncharts/far@1/Chart.yaml"
    assert bringing.permitted == ["far", "far"]


async def test_without_anybody_who_brings_them_they_are_missing(helm):
    with pytest.raises(InvalidInput, match="missing in charts/ directory: far") as raised:
        await helm(PRINTS).render(request(DEPENDING))
    assert "helm dependency build" in raised.value.hint
    with pytest.raises(InvalidInput, match="not fetched from elsewhere"):
        await helm(PRINTS).render(request(value_files=("https://example.com/v.yaml",)))


def test_values_from_elsewhere_are_asked_for_with_each_commit(helm):
    tool = helm(PRINTS)

    def inputs(revision, *value_files):
        asked = request(FILES | {"charts/c/prod.yaml": b""}, value_files=value_files)
        return tool.inputs(msgspec.structs.replace(asked, app=App(name="shop", revision=revision)))

    assert inputs("1", "prod.yaml") == inputs("2", "prod.yaml")
    assert inputs("1", "https://example.com/v.yaml") != inputs("2", "https://example.com/v.yaml")


class ForOne(Bringing):
    """Has charts and values for the project `ada` and for no other."""

    def permit(self, request, wanted):
        if wanted and request.app.project != "ada":
            raise Forbidden("not yours")

    async def values(self, request, address):
        self.permit(request, [address])
        return await super().values(request, address)


@pytest.mark.parametrize(
    ("files", "options"),
    [(DEPENDING, {}), (FILES, {"value_files": ("https://example.com/v.yaml",)})],
    ids=["a chart", "values"],
)
async def test_what_was_brought_for_one_project_is_shown_to_no_other_that_asks_for_the_same(helm, files, options):
    printing = "echo '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'"
    rendering = Renderer({"Helm": helm(printing, ForOne())}, LoopClock())
    asked = request(files, **options)

    def of(project):
        return msgspec.structs.replace(asked, app=msgspec.structs.replace(asked.app, project=project))

    for _ in range(2):
        with pytest.raises(Forbidden):
            await rendering.render(of("bob"))
        assert (await rendering.render(of("ada"))).manifests
    assert rendering.counts.renders == 2


def test_inputs_change_with_what_decides_and_with_nothing_else(helm):
    tool = helm(PRINTS)
    base = tool.inputs(request())
    assert base == tool.inputs(request(FILES | {"motd": b"changed", "charts/lib/x": b""}))
    others = [
        request(FILES | {"charts/c/templates/a.yaml": b"changed"}),
        request(release_name="own"),
        request(namespace="own"),
        request(kube_version="1.30"),
        request(api_versions=("x/v1",)),
        request(value_files=("prod.yaml",)),
        request(FILES | {"charts/c/prod.yaml": b""}, value_files=("prod.yaml",)),
        request(values="a: 1"),
        request(values_object={"a": 1}),
        request(parameters=(HelmParameter(name="a", value="1"),)),
        request(parameters=(HelmParameter(name="a", value="1", force_string=True),)),
        request(file_parameters=(HelmFileParameter(name="a", path="prod.yaml"),)),
        request(skip_crds=True),
        request(skip_tests=True),
        request(skip_schema_validation=True),
        request(DEPENDING),
        request(DEPENDING | {"charts/lib/Chart.yaml": b"name: lib\nversion: '2'\n"}),
    ]
    assert len({base, *map(tool.inputs, others)}) == len(others) + 1


def test_the_revision_counts_where_it_is_used(helm):
    tool = helm(PRINTS)

    def at(revision, value):
        asked = request(parameters=(HelmParameter(name="a", value=value),))
        fields = {name: getattr(asked, name) for name in asked.__struct_fields__}
        return tool.inputs(type(asked)(**fields | {"app": App(name="shop", revision=revision)}))

    assert at("1", "x") == at("2", "x")
    assert at("1", "$ARGOCD_APP_REVISION") != at("2", "$ARGOCD_APP_REVISION")


@pytest.mark.parametrize("version", ["v2", "3", "latest"])
def test_a_helm_that_nobody_has_is_refused(helm, version):
    with pytest.raises(InvalidInput, match="is not supported"):
        helm(PRINTS).inputs(request(version=version))
    assert helm(PRINTS).inputs(request(version="v3"))
