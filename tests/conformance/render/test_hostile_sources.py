"""Rows 1, 2, 7 and 8 of the table of attacks. Charts and kustomizations that want more than to be rendered: bounded, cut off, and refused by name."""

import socket

import pytest

from plumbline.base.errors import InvalidInput, LimitExceeded, PlumblineError, Refused, ToolFailed
from plumbline.base.tree import MemoryTree
from plumbline.kinds.application import ApplicationSource, ApplicationSourceHelm, HelmFileParameter, HelmParameter
from plumbline.render.helm import Helm
from plumbline.render.kustomize import Kustomize
from plumbline.render.requests import App, Request, Settings

pytestmark = pytest.mark.conformance

CHART = b"apiVersion: v2\nname: hostile\nversion: 0.1.0\n"
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  found: {{ %s | quote }}\n"


def chart(expression="1", links=None, **files):
    return MemoryTree(
        {"Chart.yaml": CHART, "templates/a.yaml": (OBJECT % expression).encode()} | files,
        links,
    )


def request(tree, source=None, *, options="", place="", remote=False):
    return Request(
        source=source or ApplicationSource(repo_url="https://git.example.com/x"),
        tree=tree,
        place=place,
        app=App(name="demo", namespace="apps"),
        settings=Settings(kustomize_build_options=options, kustomize_remote=remote),
    )


def helm_source(**options):
    return ApplicationSource(repo_url="https://git.example.com/x", helm=ApplicationSourceHelm(**options))


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ('getHostByName "localhost"', "a name in the network"),
        ('(lookup "v1" "Secret" "kube-system" "") | toJson | replace "{}" ""', "an object in a cluster"),
        ('.Files.Get "../../../../etc/passwd"', "a file outside of the chart"),
        ('.Files.Get "/etc/passwd"', "a file by its full name"),
        ('(.Files.Glob "../**").AsConfig | replace "{}" ""', "files by pattern"),
    ],
)
async def test_a_template_finds_nothing_of(expression, why, toolbox):
    output = await Helm(toolbox).render(request(chart(expression)))
    assert output.found[0].object["data"] == {"found": ""}, why


@pytest.mark.parametrize("expression", ['env "HOME"', 'expandenv "$HOME"'])
async def test_a_template_has_no_environment(expression, toolbox):
    with pytest.raises(ToolFailed, match="not defined"):
        await Helm(toolbox).render(request(chart(expression)))


async def test_a_release_name_that_is_a_template_sees_nothing_of_us(toolbox, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_CANARY", "canary")
    source = helm_source(release_name='x{{ env "PLUMBLINE_CANARY" }}')
    output = await Helm(toolbox).render(request(chart(".Release.Name"), source))
    assert output.found[0].object["data"] == {"found": "x"}


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"templates/b.yaml": b"{{ range until 1000000000 }}a{{ end }}"}, "a list of a thousand million"),
        ({"templates/b.yaml": b'{{ repeat 2000000000 "x" }}'}, "a text of two gigabytes"),
        (
            {"templates/_b.tpl": b'{{ define "b" }}{{ range until 9000 }}{{ range until 9000 }}x{{ end }}{{ end }}{{ end }}',
             "templates/b.yaml": b'{{ range until 90 }}{{ include "b" $ }}{{ end }}'},
            "more output than is read",
        ),
    ],
)  # fmt: skip
async def test_a_template_that_wants_too_much_is_ended(files, why, toolbox):
    with pytest.raises(Refused) as raised:
        await Helm(toolbox).render(request(chart(**files)))
    assert isinstance(raised.value, LimitExceeded | ToolFailed), why
    assert len(str(raised.value)) < 3000


async def test_a_template_that_includes_itself_is_ended(toolbox):
    files = {
        "templates/_b.tpl": b'{{ define "b" }}{{ include "b" . }}{{ end }}',
        "templates/b.yaml": b'{{ include "b" . }}',
    }
    with pytest.raises(ToolFailed, match="rendering template has a nested reference name"):
        await Helm(toolbox).render(request(chart(**files)))


async def test_a_schema_elsewhere_is_not_fetched(toolbox):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.2)
        port = server.getsockname()[1]
        schema = f'{{"$ref": "http://127.0.0.1:{port}/schema.json"}}'.encode()
        with pytest.raises(ToolFailed):
            await Helm(toolbox).render(request(chart(**{"values.schema.json": schema})))
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.mark.parametrize("target", ["file:///etc/passwd", "/etc/passwd", "../../../../../etc/passwd"])
async def test_a_schema_does_not_read_files_of_this_machine(target, toolbox):
    with pytest.raises(ToolFailed) as raised:
        await Helm(toolbox).render(request(chart(**{"values.schema.json": f'{{"$ref": "{target}"}}'.encode()})))
    assert "root:" not in str(raised.value)


@pytest.mark.parametrize(
    ("links", "why"),
    [
        ({"values.yaml": "../../../etc/passwd"}, "up and out"),
        ({"values.yaml": "/etc/passwd"}, "by its full name"),
        ({"templates/b.yaml": "/proc/self/environ"}, "a template"),
        ({"files": "/etc"}, "a folder"),
        ({"a": "b", "b": "../c"}, "one behind another"),
        ({"Chart.lock": "/root/.bashrc"}, "a lock that would be written to"),
    ],
)
async def test_a_link_that_leads_out_refuses_the_whole_chart(links, why, toolbox):
    tool = Helm(toolbox)
    for attempt in (tool.render, _keyed(tool)):
        with pytest.raises(InvalidInput, match="leads out of the source"):
            await attempt(request(chart(links=links)))


def _keyed(tool):
    async def attempt(asked):
        tool.inputs(asked)

    return attempt


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "../nothing-there", "/../x", "a/../../b", "..", "$ref/../x", "x\0y", "..\\..\\etc"]
)
@pytest.mark.parametrize("field", ["value_files", "file_parameters"])
async def test_paths_lead_nowhere_else_and_say_the_same_about_what_is_there(path, field, toolbox):
    options = (
        {"value_files": (path,)}
        if field == "value_files"
        else {"file_parameters": (HelmFileParameter(name="a", path=path),)}
    )
    asked = request(chart(), helm_source(**options))
    with pytest.raises(InvalidInput) as raised:
        Helm(toolbox).inputs(asked)
    if path != "$ref/../x":
        assert raised.value.why == "it leads out of the source"


@pytest.mark.parametrize("path", ["%2e%2e/%2e%2e/etc/passwd", "file:///etc/passwd", "ftp://x/y", "FILE:///etc/passwd"])
async def test_encoded_paths_are_names_and_foreign_schemes_are_refused(path, toolbox):
    with pytest.raises(InvalidInput, match=r"no such file|is not allowed"):
        Helm(toolbox).inputs(request(chart(), helm_source(value_files=(path,))))


async def test_parameters_are_values_and_never_options(toolbox):
    parameters = (
        HelmParameter(name="a", value="--post-renderer=/bin/sh"),
        HelmParameter(name="--post-renderer", value="/bin/sh"),
    )
    output = await Helm(toolbox).render(request(chart(".Values.a"), helm_source(parameters=parameters)))
    assert output.found[0].object["data"] == {"found": "--post-renderer=/bin/sh"}


async def test_a_deep_index_in_a_parameter_takes_no_memory(toolbox):
    parameters = (HelmParameter(name="a[900000000]", value="x"),)
    with pytest.raises(ToolFailed):
        await Helm(toolbox).render(request(chart(), helm_source(parameters=parameters)))


@pytest.mark.parametrize("repository", ["file:///etc", "file://../../..", "file://../outside/../../.."])
async def test_a_dependency_beside_the_chart_stays_in_the_source(repository, toolbox):
    meta = CHART + f"dependencies: [{{name: x, version: '1', repository: '{repository}'}}]\n".encode()
    with pytest.raises(InvalidInput, match="leads out of the source"):
        await Helm(toolbox).render(request(chart(**{"Chart.yaml": meta})))


async def test_a_dependency_with_the_name_of_a_path_is_refused(toolbox):
    meta = CHART + b"dependencies: [{name: ../../x, version: '1', repository: 'https://charts.example.com'}]\n"
    with pytest.raises(InvalidInput, match="a dependency has no name"):
        await Helm(toolbox).render(request(chart(**{"Chart.yaml": meta})))


def kustomization(text, links=None, **files):
    return MemoryTree({"app/kustomization.yaml": text.encode(), **files}, links)


@pytest.mark.parametrize(
    "text",
    [
        "resources: [../../outside]",
        "resources: [/etc/passwd]",
        "configMapGenerator: [{name: x, files: [/etc/passwd]}]",
        "configMapGenerator: [{name: x, files: [stolen=../../../etc/passwd]}]",
        "configMapGenerator: [{name: x, envs: [/proc/self/environ]}]",
        "secretGenerator: [{name: x, env: ../../x}]",
        "patches: [{path: ../../x}]",
        "components: [../../x]",
        "openapi: {path: /etc/passwd}",
        "helmCharts: [{name: ../../../x}]",
        "helmGlobals: {chartHome: /etc}\nhelmCharts: [{name: x}]",
    ],
)
@pytest.mark.parametrize("options", ["", "--load-restrictor=LoadRestrictionsNone --enable-helm"])
async def test_a_kustomization_cannot_name_what_is_outside(text, options, toolbox):
    tool = Kustomize(toolbox)
    with pytest.raises(InvalidInput, match="leads out of the source"):
        await tool.render(request(kustomization(text), options=options, place="app"))


async def test_what_only_kustomize_understands_is_stopped_by_the_kernel(toolbox):
    text = (
        "generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: x}\n  name: x\n"
        "  files: [/etc/hostname]\n"
    )
    with pytest.raises(ToolFailed, match="permission denied"):
        await Kustomize(toolbox).render(
            request(kustomization(text), options="--load-restrictor=LoadRestrictionsNone", place="app")
        )


@pytest.mark.parametrize(
    ("links", "text"),
    [
        ({"app/stolen.yaml": "/etc/passwd"}, "resources: [stolen.yaml]"),
        ({"app/base": "../../../etc"}, "resources: [base]"),
        ({"app/kustomization.yml": "/etc/passwd"}, "resources: []"),
        ({"app/chart/x/values.yaml": "/etc/passwd"}, "helmGlobals: {chartHome: chart}\nhelmCharts: [{name: x}]"),
    ],
)
async def test_a_link_that_leads_out_refuses_the_whole_build(links, text, toolbox):
    with pytest.raises(InvalidInput, match="leads out of the source"):
        await Kustomize(toolbox).render(request(kustomization(text, links), place="app"))


async def test_a_plugin_of_helm_in_the_source_is_not_run(toolbox, tmp_path):
    """A kustomization may name Helm's home, and Helm runs what it finds there."""
    marker = tmp_path / "marker"
    files = {
        "app/charts/c/Chart.yaml": CHART,
        "app/charts/c/templates/a.yaml": (OBJECT % "1").encode(),
        "app/home/.data/plugins/p/plugin.yaml": (
            b"name: p\nversion: 0.1.0\nusage: p\ncommand: touch "
            + str(marker).encode()
            + b"\nhooks: {install: x}\ndownloaders: [{command: run.sh, protocols: [evil]}]\n"
        ),
        "app/home/.data/plugins/p/run.sh": f"#!/bin/sh\ntouch {marker}\n".encode(),
    }
    text = "helmGlobals: {configHome: home}\nhelmCharts: [{name: c, releaseName: r, repo: 'evil://x', version: '1'}]"
    with pytest.raises(PlumblineError):
        await Kustomize(toolbox).render(
            request(kustomization(text, **files), options="--enable-helm", place="app", remote=True)
        )
    assert not marker.exists()


@pytest.mark.parametrize(
    "option", ["--enable-alpha-plugins", "--enable-exec", "-o /tmp/x", "--network", "--helm-command"]
)
async def test_options_that_run_or_write_something_are_refused(option, toolbox):
    with pytest.raises(InvalidInput, match="Cannot build with the option"):
        Kustomize(toolbox).inputs(request(kustomization("resources: []"), options=option, place="app"))


async def test_the_helm_that_runs_is_ours_whatever_the_options_say(toolbox):
    files = {"app/charts/c/Chart.yaml": CHART, "app/charts/c/values.yaml": b"", "app/charts/c/templates/a.yaml": (OBJECT % "1").encode()}  # fmt: skip
    asked = request(
        kustomization("helmCharts: [{name: c, releaseName: r}]", **files),
        options="--enable-helm --helm-command /bin/false",
        place="app",
    )
    assert len((await Kustomize(toolbox).render(asked)).found) == 1
