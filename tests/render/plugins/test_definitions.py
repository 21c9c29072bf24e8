"""What a folder of plugins may hold, and what it may not."""

import pytest
from tests.render.plugins.samples import definition, plugins_in

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.render.plugins import Plugins


def test_a_definition_is_known_by_its_name(tmp_path):
    plugins = plugins_in(tmp_path, a=definition("cdk"))
    assert plugins.named("cdk").name == "cdk"
    assert plugins.named("other") is None


def test_a_version_is_part_of_the_name(tmp_path):
    plugins = plugins_in(tmp_path, a=definition("cdk", version="v1.0"))
    assert plugins.named("cdk") is None
    assert plugins.named("cdk-v1.0").name == "cdk-v1.0"


def test_a_plugin_may_have_a_folder_of_its_own(tmp_path):
    (tmp_path / "cdk").mkdir()
    (tmp_path / "cdk" / "plugin.yaml").write_text(definition("cdk"))
    assert Plugins(tmp_path).named("cdk").name == "cdk"


def test_other_yaml_is_left_alone(tmp_path):
    (tmp_path / "values.yaml").write_text("a: 1\n")
    assert list(Plugins(tmp_path).all()) == []


def test_plugins_are_asked_in_the_order_of_their_names(tmp_path):
    plugins = plugins_in(tmp_path, a=definition("z"), b=definition("a"))
    assert [each.name for each in plugins.all()] == ["a", "z"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (definition(""), "metadata.name should be non-empty"),
        (definition("a/b"), "slash"),
        (definition(generate=()), "spec.generate command should be non-empty"),
        (definition().replace('"ConfigManagementPlugin"', '"ConfigManagementPlugins"'), "kind should be"),
        (definition(init={"command": "sh"}), "Expected `array"),
        (definition(annotations={"plumbline.dev/plugin-network": "maybe"}), "neither true nor false"),
        (definition(annotations={"plumbline.dev/plugin-paths": "tools"}), "absolute"),
    ],
)
def test_what_is_wrong_is_said_at_the_start(tmp_path, text, why):
    with pytest.raises(InvalidInput) as refused:
        plugins_in(tmp_path, wrong=text)
    assert why in refused.value.why
    assert "wrong.yaml" in str(refused.value)


def test_two_plugins_of_one_name_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="another plugin mine"):
        plugins_in(tmp_path, a=definition(), b=definition())


def test_a_definition_has_a_bounded_size(tmp_path):
    with pytest.raises(LimitExceeded):
        plugins_in(tmp_path, a=definition() + " " * (1 << 20))


def test_no_name_leads_out_of_the_folder(tmp_path):
    assert plugins_in(tmp_path).named("../../run/docker") is None


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", ""])
def test_what_no_file_can_be_called_is_no_plugin(tmp_path, name):
    assert plugins_in(tmp_path).named(name) is None
