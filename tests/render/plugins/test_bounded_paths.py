"""What `manifest-generate-paths` names is all that makes a plugin run again."""

import msgspec
import pytest
from tests.render.plugins.samples import definition, plugins_in
from tests.render.samples import request_for

from plumbline.render.plugins import PluginTool

FILES = {"apps/a/base.yaml": "1", "apps/b/base.yaml": "1", "common/x.txt": "1", "common/deep/y.yaml": "1", "notes.txt": "1"}  # fmt: skip
PLUGIN = {"name": "mine", "env": [{"name": "AT", "value": "$ARGOCD_APP_REVISION"}]}


def inputs(tool, files, paths, revision):
    request = request_for(files, "apps/a", plugin=PLUGIN)
    app = msgspec.structs.replace(request.app, generate_paths=paths, revision=revision)
    return tool.inputs(msgspec.structs.replace(request, app=app, place="apps/a"))


def run_again(folder, paths, changed):
    tool = PluginTool(plugins_in(folder, p=definition()))
    before = inputs(tool, FILES, paths, "a" * 40)
    return inputs(tool, {**FILES, changed: "2"}, paths, "b" * 40) != before


@pytest.mark.parametrize(
    ("paths", "changed", "expected"),
    [
        ((), "notes.txt", True),
        ((".",), "apps/a/base.yaml", True),
        ((".",), "apps/a/new.yaml", True),
        ((".",), "apps/b/base.yaml", False),
        ((".",), "notes.txt", False),
        (("/common",), "common/deep/y.yaml", True),
        (("/common",), "apps/a/base.yaml", False),
        (("../b", "/notes.txt"), "apps/b/base.yaml", True),
        (("../b", "/notes.txt"), "notes.txt", True),
        (("/common/*.txt",), "common/x.txt", True),
        (("/common/*.txt",), "common/deep/y.yaml", False),
        (("/",), "notes.txt", True),
        (("../../..",), "apps/a/base.yaml", False),
        (("/[",), "notes.txt", True),
    ],
)
def test_a_commit_counts_where_it_touches_one_of_them(tmp_path, paths, changed, expected):
    assert run_again(tmp_path, paths, changed) is expected
