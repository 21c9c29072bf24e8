"""Which resources a configuration keeps from being destroyed."""

import pytest

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.terraform.plans import guarded

GUARD = "lifecycle {\n prevent_destroy = true\n}\n"

CONFIGURATIONS = [
    ({"main.tf": f'resource "a" "b" {{\n{GUARD}}}'}, {"a.b"}, "a guard"),
    ({"main.tf": 'resource "a" "b" {\nlifecycle {\n prevent_destroy = false\n}\n}'}, set(), "none"),
    ({"main.tf": 'resource "a" "b" {}\n'}, set(), "no word"),
    ({"main.tf": 'resource "a" "b" {\nlifecycle {\n prevent_destroy = var.x\n}\n}'}, set(), "nobody knows"),
    ({"main.tf.json": '{"resource":{"a":{"b":{"lifecycle":{"prevent_destroy":true}}}}}'}, {"a.b"}, "as JSON"),
    ({"main.tf.json": '{"resource":{"a":{"b":{"lifecycle":[{"prevent_destroy":true}]}}}}'}, {"a.b"}, "as a list"),
    ({"x.tofu": f'resource "a" "b" {{\n{GUARD}}}'}, {"a.b"}, "OpenTofu's files"),
    (
        {"a_override.tf": 'resource "a" "b" {\nlifecycle {\n prevent_destroy = false\n}\n}',
         "main.tf": f'resource "a" "b" {{\n{GUARD}}}'},
        set(),
        "an override wins, wherever its name stands",
    ),
    (
        {"main.tf": 'module "m" {\nsource = "./sub"\n}\nmodule "n" {\nsource = "./sub"\n}',
         "sub/x.tf": f'resource "a" "b" {{\n{GUARD}}}'},
        {"module.m.a.b", "module.n.a.b"},
        "in modules",
    ),
    ({"main.tf": 'module "m" {\nsource = "acme/x/y"\n}'}, set(), "modules from elsewhere are not looked into"),
    ({"other/main.tf": f'resource "a" "b" {{\n{GUARD}}}', "notes.md": "x"}, set(), "another folder"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "addresses", "why"), CONFIGURATIONS)
def test_finds_guards(files, addresses, why):
    assert guarded({path: text.encode() for path, text in files.items()}) == addresses, why


def test_a_root_module_may_stand_anywhere_and_use_modules_beside_it():
    files = {
        "live/prod/main.tf": b'module "m" {\nsource = "../../modules/db"\n}',
        "modules/db/main.tf": f'resource "a" "b" {{\n{GUARD}}}'.encode(),
    }
    assert guarded(files, "live/prod") == guarded(files, "./live/prod/") == {"module.m.a.b"}


def test_a_module_that_is_the_root_folder_is_found():
    files = {"sub/main.tf": b'module "m" {\nsource = "../"\n}', "x.tf": f'resource "a" "b" {{\n{GUARD}}}'.encode()}
    assert guarded(files, "sub") == {"module.m.a.b"}


def test_modules_without_end_are_refused():
    with pytest.raises(LimitExceeded):
        guarded({"main.tf": b'module "m" {\nsource = "./."\n}'})


@pytest.mark.parametrize("content", [b"resource {", b"\xff"])
def test_what_cannot_be_read_is_refused(content):
    with pytest.raises(BadDocument):
        guarded({"main.tf": content})
