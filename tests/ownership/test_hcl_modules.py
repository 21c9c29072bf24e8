"""Folders of HCL: what each root module declares, through variables, locals, providers and local modules."""

import pytest

from plumbline.base.errors import LimitExceeded
from plumbline.ownership import External, Unnamed
from plumbline.ownership.declared.tfjson import read_hcl_json, read_values_json
from plumbline.ownership.external import resource
from plumbline.ownership.hcl import Modules, Part, read_hcl


def modules(files, values=()):
    return Modules(
        [Part(path, read_hcl(text, path)) for path, text in files.items()],
        [Part(path, read_hcl(text, path)) for path, text in dict(values).items()],
    )


def things(files, root="", values=(), given=None):
    """Address to thing."""
    found = modules(files, values).resources(root, given)
    return {each.described.address: resource(each.described) for each in found}


def queue(name, region=""):
    return External("aws_sqs_queue", name, region)


QUEUE = 'resource "aws_sqs_queue" "q" {{\n  name = {}\n}}\n'

NAMES = [
    ('"jobs"', "", queue("jobs"), "literal"),
    ("var.name", 'variable "name" { default = "jobs" }', queue("jobs"), "a default"),
    ("var.name", 'variable "name" {}', Unnamed("aws_sqs_queue", "aws_sqs_queue.q"), "no default"),
    ("var.name", "", Unnamed("aws_sqs_queue", "aws_sqs_queue.q"), "no such variable"),
    ('"${var.env}-jobs"', 'variable "env" {}', Unnamed("aws_sqs_queue", "aws_sqs_queue.q", "*-jobs"), "a part is open"),
    ("local.name", 'locals { name = "jobs" }', queue("jobs"), "a local"),
    ("local.name", 'locals {\n name = "${local.a}-jobs"\n a = var.e\n}\nvariable "e" { default = "x" }', queue("x-jobs"), "of a local"),
    ("local.names.main", 'locals { names = { main = "jobs" } }', queue("jobs"), "inside of a local"),
    ("local.names.other", 'locals { names = { main = "jobs" } }', Unnamed("aws_sqs_queue", "aws_sqs_queue.q"), "not inside"),
    ("local.a", "locals { a = local.b\n b = local.a }", Unnamed("aws_sqs_queue", "aws_sqs_queue.q"), "a loop"),
    ("local", "", Unnamed("aws_sqs_queue", "aws_sqs_queue.q"), "no name"),
    ("random_pet.a.id", "", Unnamed("aws_sqs_queue", "aws_sqs_queue.q"), "made by something else"),
    ("aws_s3_bucket.b.id", 'resource "aws_s3_bucket" "b" { bucket = "images" }', queue("images"), "another resource's id"),
    ("aws_s3_bucket.b.bucket", 'resource "aws_s3_bucket" "b" { bucket = "images" }', queue("images"), "its name"),
    (
        "aws_s3_bucket.b.bucket",
        'resource "aws_s3_bucket" "b" {\n count = 2\n bucket = "images" }',
        Unnamed("aws_sqs_queue", "aws_sqs_queue.q"),
        "one of many",
    ),
    ("each.key", "", Unnamed("aws_sqs_queue", "aws_sqs_queue.q"), "of a loop"),
    ("null", "", Unnamed("aws_sqs_queue", "aws_sqs_queue.q", assigned=True), "left to the provider"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "beside", "expected", "why"), NAMES, ids=[row[3] for row in NAMES])
def test_names_are_followed_as_far_as_they_are_written_down(name, beside, expected, why):
    assert things({"main.tf": QUEUE.format(name) + beside})["aws_sqs_queue.q"] == expected


def test_values_from_files_go_before_defaults_and_given_ones_before_both():
    files = {"infra/main.tf": QUEUE.format("var.name") + 'variable "name" { default = "default" }'}
    values = {
        "infra/b.auto.tfvars": 'name = "auto-b"',
        "infra/a.auto.tfvars": 'name = "auto-a"',
        "infra/terraform.tfvars": 'name = "file"',
        "elsewhere/terraform.tfvars": 'name = "elsewhere"',
    }
    assert things(files, "infra")["aws_sqs_queue.q"] == queue("default")
    assert things(files, "infra", values)["aws_sqs_queue.q"] == queue("auto-b")
    assert things(files, "infra", values, {"name": "given"})["aws_sqs_queue.q"] == queue("given")


PROVIDERS = """
provider "aws" { region = "us-east-1" }
provider "aws" {
  alias = "west"
  region = var.west
  allowed_account_ids = ["123456789012"]
}
variable "west" { default = "us-west-2" }
provider {}
resource "aws_sqs_queue" "here" { name = "jobs" }
resource "aws_sqs_queue" "there" {
  provider = aws.west
  name = "jobs"
}
resource "aws_sqs_queue" "own" {
  name = "jobs"
  region = "eu-west-1"
}
resource "google_compute_network" "net" { name = "prod" }
provider "google" { project = "shop" }
"""


def test_the_place_of_a_thing_is_that_of_its_provider():
    assert things({"main.tf": PROVIDERS}) == {
        "aws_sqs_queue.here": queue("jobs", "us-east-1"),
        "aws_sqs_queue.there": External("aws_sqs_queue", "jobs", "us-west-2", "123456789012"),
        "aws_sqs_queue.own": queue("jobs", "eu-west-1"),
        "google_compute_network.net": External("google_compute_network", "prod", "", "shop"),
    }


CALLS = {
    "prod/main.tf": """
        provider "aws" { region = "us-east-1" }
        provider "aws" {
          alias = "west"
          region = "us-west-2"
        }
        module "a" {
          source = "../modules/queue"
          name = "a"
        }
        module "b" {
          source = "../modules/queue"
          name = "b-${local.env}"
          providers = { aws = aws.west }
        }
        module "none" {
          source = "../modules/queue"
          count = 0
        }
        module "far" { source = "terraform-aws-modules/vpc/aws" }
        module "lost" { source = "./not/there" }
        module "odd" {}
        locals { env = "prod" }
    """,
    "modules/queue/main.tf": QUEUE.format('"q-${var.name}"')
    + 'variable "name" {}\nmodule "deep" { source = "./deep" }',
    "modules/queue/deep/main.tf": 'resource "aws_vpc" "v" {}',
}


def test_local_modules_are_followed_with_their_arguments_and_providers():
    assert things(CALLS, "prod") == {
        "module.a.aws_sqs_queue.q": queue("q-a", "us-east-1"),
        "module.a.module.deep.aws_vpc.v": Unnamed("aws_vpc", "module.a.module.deep.aws_vpc.v", assigned=True),
        "module.b.aws_sqs_queue.q": queue("q-b-prod", "us-west-2"),
        "module.b.module.deep.aws_vpc.v": Unnamed("aws_vpc", "module.b.module.deep.aws_vpc.v", assigned=True),
    }


def test_only_folders_that_nobody_calls_are_roots():
    assert modules(CALLS).roots() == ("prod",)
    assert modules({"main.tf": 'module "x" { source = "./x" }', "x/main.tf": ""}).roots() == ("",)
    assert "prod" in modules(CALLS)


def test_a_circle_of_modules_has_a_root_so_that_it_is_refused():
    circle = {"a/main.tf": 'module "b" { source = "../b" }', "b/main.tf": 'module "a" { source = "../a" }'}
    assert modules(circle).roots() == ("a",)
    with pytest.raises(LimitExceeded):
        list(modules(circle).resources("a"))


def test_lines_are_those_of_the_block_in_its_own_file():
    found = list(modules(CALLS).resources("prod"))
    assert (found[0].file, found[0].line) == ("modules/queue/main.tf", 1)


def test_what_is_not_made_is_not_claimed():
    text = """
        resource "aws_sqs_queue" "none" {
          count = 0
          name = "jobs"
        }
        data "aws_sqs_queue" "read" { name = "jobs" }
        removed {
          from = aws_sqs_queue.gone
          lifecycle { destroy = false }
        }
        resource "aws_sqs_queue" {}
    """
    assert things({"main.tf": text}) == {}


def test_one_block_for_many_names_none_of_them():
    text = 'resource "aws_sqs_queue" "many" {\n  for_each = var.all\n  name = "jobs-${each.key}"\n}\n'
    same = 'resource "aws_sqs_queue" "same" {\n  count = 2\n  name = "jobs"\n}\n'
    assert things({"main.tf": text + same}) == {
        "aws_sqs_queue.many": Unnamed("aws_sqs_queue", "aws_sqs_queue.many", "jobs-*"),
        "aws_sqs_queue.same": Unnamed("aws_sqs_queue", "aws_sqs_queue.same", "jobs"),
    }


def test_an_import_says_which_thing_it_is():
    text = """
        resource "aws_vpc" "main" {}
        import {
          to = aws_vpc.main
          id = "vpc-0abc"
        }
        import { to = aws_vpc.other[0] }
    """
    assert things({"main.tf": text}) == {"aws_vpc.main": External("aws_vpc", "vpc-0abc")}


def test_modules_that_multiply_are_stopped():
    doubling = {
        f"m{at}/main.tf": "".join(f'module "x{n}" {{ source = "../m{at + 1}" }}\n' for n in range(8)) for at in range(8)
    }
    with pytest.raises(LimitExceeded):
        list(modules(doubling).resources("m0"))
    with pytest.raises(LimitExceeded):
        list(modules({"main.tf": 'module "me" { source = "./." }'}).resources(""))


def test_locals_that_mention_each_other_twice_take_no_longer():
    lines = "\n".join(f'l{at} = "${{local.l{at + 1}}}${{local.l{at + 1}}}"' for at in range(40))
    text = QUEUE.format("local.l0") + "locals {\n" + lines + '\nl40 = "x"\n}'
    assert isinstance(things({"main.tf": text})["aws_sqs_queue.q"], Unnamed)


JSON = b"""{
  "provider": {"aws": [{"region": "us-east-1"}, {"alias": "west", "region": "us-west-2"}]},
  "variable": {"name": {"default": "jobs"}, "odd": 5},
  "locals": {"env": "prod"},
  "resource": {
    "aws_sqs_queue": {
      "q": {"name": "${var.name}-${local.env}", "provider": "aws.west"},
      "many": [{"name": "first"}]
    },
    "aws_vpc": {"v": {"tags": {"a": [1, true, null]}}}
  },
  "module": {"m": {"source": "./m", "providers": {"aws": "aws.west", "x": 5}}},
  "import": [
    {"to": "aws_vpc.v", "id": "vpc-1"}
  ]
}"""


def test_json_means_the_same():
    body = read_hcl_json(JSON, "main.tf.json")
    inner = Part("m/main.tf", read_hcl(QUEUE.format('"inner"')))
    found = list(Modules([Part("main.tf.json", body), inner]).resources(""))
    assert {each.described.address: (resource(each.described), each.line) for each in found} == {
        "aws_sqs_queue.q": (queue("jobs-prod", "us-west-2"), 7),
        "aws_sqs_queue.many": (queue("first", "us-east-1"), 8),
        "aws_vpc.v": (External("aws_vpc", "vpc-1", "us-east-1"), 10),
        "module.m.aws_sqs_queue.q": (queue("inner", "us-west-2"), 1),
    }


def test_values_in_json_are_not_templates():
    body = read_values_json(b'{"name": "${x}", "list": ["a"], "map": {"k": "v"}, "n": 1}', "terraform.tfvars.json")
    part = Part("terraform.tfvars.json", body)
    text = QUEUE.format("var.name")
    found = list(Modules([Part("main.tf", read_hcl(text))], [part]).resources(""))
    assert resource(found[0].described) == queue("${x}")


def test_json_of_another_form_declares_nothing():
    assert read_hcl_json(b"[]", "x.tf.json").blocks == []
    assert read_values_json(b"[]", "x").attributes == {}
    assert read_hcl_json(b'{"resource": {"a_b": {"c": 5}}}', "x.tf.json").blocks == []
