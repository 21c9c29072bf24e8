"""Which part of a source is written for a module."""

import pytest

from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.tool import need as needs
from plumbline.terraform.tool.need import EVERYTHING, needed
from plumbline.terraform.work import Placed, Workplace

CALL = 'module "m" {{\n  source = "{}"\n}}\n'


def tree(links=None, **more):
    files = {
        "app/main.tf": CALL.format("../modules/net"),
        "modules/net/main.tf": CALL.format("../dns"),
        "modules/dns/main.tf": "# for...each\n",
        "modules/unused/main.tf": "",
        "other/main.tf": "",
        "env/prod.tfvars": "",
        **{path.replace("__", "/"): text for path, text in more.items()},
    }
    return MemoryTree({path: text.encode() for path, text in files.items()}, links)


def test_a_module_needs_itself_and_the_local_modules_it_uses():
    need = needed(tree(), Workplace(path="app", var_files=("env/prod.tfvars",)))
    assert need.paths == ("app", "env/prod.tfvars", "modules/dns", "modules/net")


def test_what_is_within_another_is_not_named_twice():
    need = needed(tree(**{"app/inner/x.tf": "", "app/b.tf": CALL.format("./inner")}), Workplace(path="app"))
    assert need.paths == ("app", "modules/dns", "modules/net")


def test_only_what_is_needed_decides():
    before, after = (needed(tree(**{"other/main.tf": text}), Workplace(path="app")) for text in ("", "# new"))
    assert before == after
    assert needed(tree(**{"modules/dns/main.tf": "# new"}), Workplace(path="app")) != before


@pytest.mark.parametrize(
    ("more", "workplace", "why"),
    [
        ({"app/x.tf": 'locals {\n  x = file("${path.module}/../shared.txt")\n}\n'}, {}, "a file above it"),
        ({"app/run.sh": "cd .."}, {}, "a script that goes up"),
        ({"app/x.tf": "locals {\n  x = path.cwd\n}\n"}, {}, "the folder it runs in"),
        ({"app/x.tf": "locals {\n  x = abspath(path.module)\n}\n"}, {}, "where it is"),
        ({"app/x.tf": CALL.format("./${var.x}")}, {}, "a module that only the tool can find"),
        ({"app/x.tf": "broken {"}, {}, "what cannot be read"),
        ({"app/x.tf": CALL.format("../../../x")}, {}, "a module outside"),
        ({"modules/dns/x.tf": 'locals {\n  x = file("../net/x")\n}\n'}, {}, "a file of another module"),
        ({}, {"files": (Placed("module", "v.tfvars.json", Plaintext('{"file": "../x"}')),)}, "a variable that goes up"),
        ({}, {"path": ""}, "the root itself"),
    ],
)
def test_in_doubt_everything_is_written(more, workplace, why):
    assert needed(tree(**more), Workplace(**{"path": "app", **workplace})).paths == EVERYTHING, why


def test_links_count_as_doubt():
    assert needed(tree({"app/link.tf": "../other/main.tf"}), Workplace(path="app")).paths == EVERYTHING


def test_modules_that_are_not_there_are_the_tools_to_complain_about():
    assert needed(tree(**{"modules/dns/main.tf": CALL.format("./gone")}), Workplace(path="app")).paths == (
        "app",
        "modules/dns",
        "modules/net",
    )


def test_prose_and_large_files_are_not_looked_at():
    more = {"app/README.md": "see [there](../other)", "app/big.bin": ".." * (1 << 20)}
    assert needed(tree(**more), Workplace(path="app")).paths != EVERYTHING


def test_what_is_known_is_bounded(monkeypatch):
    monkeypatch.setattr(needs, "_MOST_KNOWN", 1)
    needs._known.clear()
    assert needed(tree(), Workplace(path="app")).paths == ("app", "modules/dns", "modules/net")
    assert len(needs._known) == 1
    monkeypatch.setattr(needs, "_MOST_MODULES", 1)
    assert needed(tree(), Workplace(path="app")).paths == EVERYTHING
