"""What a module would run, read from its text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.base.errors import Forbidden
from plumbline.base.json import encode
from plumbline.terraform.tool import Facts, Tool
from plumbline.terraform.tool.code import Seen, is_code, read
from plumbline.terraform.tool.facts import gathered, refuse_unwanted
from plumbline.terraform.tool.lockfile import Chosen

CODE = b"""
terraform {
  required_providers {
    mine = { source = "acme/thing", version = "~> 1.0" }
    full = {
      source                = "Example.COM/ns/type"
      configuration_aliases = [full.west]
    }
    old     = "~> 2.0"
    builtin = { source = "terraform.io/builtin/terraform" }
  }
}
provider "aws" {
  region = "eu"
}
resource "terraform_data" "x" {
  provisioner "local-exec" {
    command = "true"
  }
}
resource "google_thing" "x" {
  provider = mine.west
}
data "external" "x" {
  program = ["sh"]
}
check "c" {
  data "external" "y" {
    program = ["sh"]
  }
}
ephemeral "random_password" "p" {}
module "local" {
  source = "./inner"
}
module "away" {
  source = "git::https://example.com/x.git"
}
module "guess" {
  source = "./${var.name}"
}
locals {
  nothing = 1
}
"""


@pytest.fixture
def tool(tmp_path):
    return Tool("terraform", "1.11.4", tmp_path, "linux_amd64", "x")


def facts(folder, tool, files):
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return gathered(folder / "app", folder, folder / "data", tool)


def test_everything_that_would_run_is_found_with_its_place(tmp_path, tool):
    found = facts(tmp_path, tool, {"app/main.tf": CODE, "app/inner/x.tf": b'resource "null_resource" "x" {\n}\n'})
    assert found.providers == (
        "example.com/ns/type",
        "registry.terraform.io/acme/thing",
        "registry.terraform.io/hashicorp/aws",
        "registry.terraform.io/hashicorp/external",
        "registry.terraform.io/hashicorp/null",
        "registry.terraform.io/hashicorp/old",
        "registry.terraform.io/hashicorp/random",
    )
    assert found.external_data == ("app/main.tf:24", "app/main.tf:28")
    assert found.provisioners == ("app/main.tf:17",)
    assert found.has_external_data
    assert found.has_provisioners
    assert read("x.tf", CODE).modules == {"./inner", "git::https://example.com/x.git", ""}


def test_opentofu_has_a_registry_of_its_own(tmp_path, tool):
    found = facts(tmp_path, tool._replace(name="tofu"), {"app/main.tofu": b'provider "aws" {\n}\n'})
    assert found.providers == ("registry.opentofu.org/hashicorp/aws",)


JSON = b"""{"terraform": [{"required_providers": {"mine": {"source": "acme/thing"}, "old": "~> 2.0"}}],
 "provider": {"aws": [{}]},
 "module": {"m": {"source": "./inner"}, "n": [{"source": "./more"}]},
 "resource": {"mine_thing": {"x": {"provisioner": [{"local-exec": {}}], "provider": "mine.west"}}, "null_resource": {"y": [{}, {}]}},
 "check": {"c": {"data": {"external": {"z": {}}}}},
 "data": [{"external": {"x": {}}}]}"""


def test_json_says_the_same(tmp_path, tool):
    found = facts(tmp_path, tool, {"app/main.tf.json": JSON, "app/more/x.tf": b'provider "tls" {\n}\n'})
    assert [each.rpartition("/")[2] for each in found.providers] == ["thing", "aws", "external", "null", "old", "tls"]
    assert found.external_data == ("app/main.tf.json",)
    assert found.provisioners == ("app/main.tf.json",)


def test_modules_that_init_has_fetched_count(tmp_path, tool):
    listed = b'{"Modules": [{"Key": "m", "Dir": "../data/modules/m"}, {"Dir": 3}, 4]}'
    files = {"app/main.tf": b"", "data/modules/modules.json": listed, "data/modules/m/x.tf": b'provider "tls" {\n}\n'}
    assert facts(tmp_path, tool, files).providers == ("registry.terraform.io/hashicorp/tls",)


@pytest.mark.parametrize(
    "content",
    [b'resource "x" {', b"\xff\xfe", b"{" * 3000, b"#" * (5 << 20)],
    ids=["broken", "binary", "deep", "large"],
)
@pytest.mark.parametrize("name", ["x.tf", "x.tf.json"])
def test_what_cannot_be_read_may_hold_anything(name, content):
    assert read(name, content) == Seen(unread=(name,))
    found = Facts(unread=(name,))
    assert found.has_external_data
    assert found.has_provisioners


def test_modules_without_end_may_hold_anything(tmp_path, tool, monkeypatch):
    monkeypatch.setattr("plumbline.terraform.tool.facts._MOST_MODULES", 2)
    calls = b'module "a" {\n  source = "./a"\n}\n'
    files = {"app/main.tf": calls, "app/a/main.tf": calls, "app/a/a/main.tf": b""}
    assert facts(tmp_path, tool, files).unread


@given(st.binary(max_size=300), st.sampled_from(["x.tf", "x.tf.json"]))
def test_no_text_breaks_the_reader(content, name):
    assert isinstance(read(name, content), Seen)


@settings(max_examples=50)
@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    ["resource", "data", "provider", "module", "terraform", "required_providers", "external", "x"]
                ),
                inner,
            )
        ),
    )
)
def test_no_json_breaks_the_reader(document):
    assert isinstance(read("x.tf.json", encode(document)), Seen)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("main.tf", True),
        ("x.tofu.json", True),
        (".main.tf", False),
        ("#x.tf#", False),
        ("main.tf~", False),
        ("x.tfvars", False),
    ],
)
def test_only_what_the_tool_reads_is_code(name, expected):
    assert is_code(name) is expected


def test_a_provider_that_is_not_permitted_is_named():
    found = Facts(providers=("a/b/c",)).with_chosen([Chosen("x/y/z", "1.0.0", "", ())])
    refuse_unwanted(found, None)
    with pytest.raises(Forbidden) as caught:
        refuse_unwanted(found, lambda address: address == "a/b/c")
    assert "x/y/z" in caught.value.what
