"""`plumb composition render` and `convert`: files in, documents out, and every way to fail explained."""

import pytest

from plumbline.base.documents import dump_yaml, load_documents

XR = {"apiVersion": "example.org/v1", "kind": "XShop", "metadata": {"name": "media"}, "spec": {"region": "eu"}}
TEMPLATE = """
apiVersion: v1
kind: ConfigMap
metadata:
  annotations: {gotemplating.fn.crossplane.io/composition-resource-name: settings}
data:
  region: {{ .observed.composite.resource.spec.region }}
  context: {{ index .context "k" | default "none" | quote }}
"""


def templated(function="function-go-templating", source=None, **step):
    given = source or {"source": "Inline", "inline": {"template": TEMPLATE}}
    given = {"apiVersion": "gotemplating.fn.crossplane.io/v1beta1", "kind": "GoTemplate", **given}
    return {"step": "template", "functionRef": {"name": function}, "input": given, **step}


def composition(*steps):
    spec = {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XShop"}, "mode": "Pipeline", "pipeline": list(steps)}  # fmt: skip
    return {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": "shops"}, "spec": spec}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    def write(**objects):
        for name, value in objects.items():
            listed = value if isinstance(value, list) else [value]
            (tmp_path / f"{name}.yaml").write_text("---\n".join(dump_yaml(each) for each in listed))
        return tmp_path

    return write


@pytest.fixture
def render(run, files):
    def rendered(*flags, xr=XR, steps=None, functions=None, **more):
        folder = files(xr=xr, composition=composition(*(steps or [templated()])), **more)
        listed = []
        if functions is not None:
            files(functions=functions)
            listed = [folder / "functions.yaml"]
        return run("composition", "render", folder / "xr.yaml", folder / "composition.yaml", *listed, *flags)

    return rendered


def documents(said):
    assert said.code == 0, said.err
    return [each.value for each in load_documents(said.out, source="stdout")]


def function(name, package="", **annotations):
    return {"apiVersion": "pkg.crossplane.io/v1", "kind": "Function", "metadata": {"name": name, "annotations": annotations}, "spec": {"package": package}}  # fmt: skip


def test_functions_that_come_with_us_need_no_file(render):
    composite, settings = documents(render())
    assert composite["kind"] == "XShop"
    assert settings["data"] == {"region": "eu", "context": "none"}


def test_a_function_of_another_name_is_known_by_its_package(render):
    package = "xpkg.crossplane.io/crossplane-contrib/function-go-templating:v0.10.0"
    said = render(steps=[templated("my-templates")], functions=[function("my-templates", package)])
    assert documents(said)[1]["data"]["region"] == "eu"


def test_the_context_comes_from_flags_and_files(render, tmp_path):
    (tmp_path / "k.json").write_text('"from a file"')
    from_file = render("--context-files", f"k={tmp_path / 'k.json'}")
    assert documents(from_file)[1]["data"]["context"] == "from a file"
    both = render("--context-files", f"k={tmp_path / 'k.json'}", "--context-values", 'k="typed"', "-c")
    assert documents(both)[1]["data"]["context"] == "typed"
    assert documents(both)[-1]["fields"] == {"k": "typed"}


def test_what_is_printed_beside_the_objects(render):
    said = documents(render("-r", "-x", "--engine=v1", "--timeout=30s"))
    assert said[0]["spec"] == {"region": "eu"}
    assert said[1]["metadata"]["generateName"] == "media-"


def test_a_definition_fills_in_defaults_and_tells_the_lineage(render, files):
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"region": {"type": "string", "default": "mars"}}}}}  # fmt: skip
    xrd = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xshops.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "XShop", "plural": "xshops"},
            "versions": [{"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    folder = files(xrd=xrd, other={**xrd, "spec": {**xrd["spec"], "group": "else.org"}}, none={**xrd, "spec": {}}, thing={**XR})  # fmt: skip
    composite, settings = documents(render("--xrd", folder / "xrd.yaml", xr={**XR, "spec": {}}))
    assert settings["data"]["region"] == "mars"
    assert "resourceRefs" in composite["spec"], "an older definition keeps them right under the spec"
    for name, text in (("other", "does not match"), ("none", "cannot be used"), ("thing", "not a CompositeRes")):
        said = render("--xrd", folder / f"{name}.yaml")
        assert (said.code, said.out) == (2, "")
        assert text in said.err


def test_templates_and_objects_from_folders(render, tmp_path, files):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "a.yaml").write_text(TEMPLATE)
    source = {"source": "FileSystem", "fileSystem": {"dirPath": "."}}
    said = render("--templates", tmp_path / "templates", steps=[templated(source=source)])
    assert documents(said)[1]["data"]["region"] == "eu"
    live = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "there", "annotations": {"crossplane.io/composition-resource-name": "settings"}}}  # fmt: skip
    folder = files(observed=live, extra=[live, live])
    said = render("-o", folder / "observed.yaml", "-e", folder / "extra.yaml", "--extra-resources", folder / "extra.yaml")  # fmt: skip
    assert documents(said)[1]["metadata"]["name"] == "there"


def test_schemas_are_read_from_a_folder(render, tmp_path):
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "v1.json").write_text('{"components": {"schemas": {}}}')
    (tmp_path / "schemas" / "odd.json").write_text("[]")
    needs = {"requirements": {"requiredSchemas": [{"requirementName": "x", "apiVersion": "v1", "kind": "Pod"}]}}
    documents(render("-s", tmp_path / "schemas", steps=[templated(**needs)]))


REFUSED = [
    ({"steps": [templated("mystery")]}, 3, "Nothing is pulled or started with Docker", "a function that nobody has"),
    ({"functions": [XR]}, 2, "not a function: XShop/media", "no Function"),
    ({"xr": [XR, XR]}, 2, "holds 2 objects", "two composites"),
    ({"xr": {**XR, "kind": "Other"}}, 2, "does not match XR's kind", "another kind"),
    (
        {"steps": [templated(source={"source": "Inline", "inline": {"template": "{{"}})]},
        3,
        "fatal result",
        "bad template",
    ),
]


@pytest.mark.parametrize(("given", "code", "text", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_failures_print_nothing_but_why(render, given, code, text, why):
    said = render(**given)
    assert (said.code, said.out) == (code, ""), why
    assert text in said.err


def test_a_function_that_should_run_already_and_does_not(render):
    running = function("mine", **{"render.crossplane.io/runtime": "Development", "render.crossplane.io/runtime-development-target": "dns:///127.0.0.1:1"})  # fmt: skip
    said = render("--timeout", "1s", steps=[templated("mine")], functions=[running])
    assert said.code == 3
    assert 'cannot run Function "mine"' in said.err
    said = render("-a", "render.crossplane.io/runtime=Docker", steps=[templated("mine")], functions=[running])
    assert "there is no function" in said.err, "flags win over what the file says"


@pytest.mark.parametrize(
    ("flags", "text"),
    [(("--context-values", "k"), "is not KEY=VALUE"), (("--context-files", "k=/none.json"), "cannot be read")],
)
def test_flags_that_make_no_sense(render, flags, text):
    said = render(*flags)
    assert said.code == 2
    assert text in said.err


NATIVE = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "Composition",
    "metadata": {"name": "shops"},
    "spec": {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XShop"}, "resources": [{"base": {"apiVersion": "v1", "kind": "ConfigMap"}}]},
}  # fmt: skip


def test_conversion_to_stdout_and_to_a_file(run, files, tmp_path):
    folder = files(native=NATIVE)
    made = documents(run("composition", "convert", folder / "native.yaml", "-f", "mine"))[0]
    assert made["spec"]["pipeline"][0]["functionRef"] == {"name": "mine"}
    said = run("composition", "convert", "-", "-o", tmp_path / "out.yaml", stdin=dump_yaml(NATIVE))
    assert (said.code, said.out) == (0, "")
    assert "function-patch-and-transform" in (tmp_path / "out.yaml").read_text()


def test_conversion_of_what_is_a_pipeline_and_of_what_is_none(run, files, tmp_path):
    folder = files(pipeline=composition(templated()), two=[NATIVE, NATIVE], native=NATIVE)
    said = run("composition", "convert", folder / "pipeline.yaml")
    assert documents(said) == [composition(templated())]
    assert "nothing to convert" in said.err
    assert run("composition", "convert", folder / "two.yaml").code == 2
    assert run("composition", "convert", folder / "native.yaml", "-o", tmp_path / "none" / "x").code == 2


def test_the_group_explains_itself(run):
    assert "render" in run("composition").out
