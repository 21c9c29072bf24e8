"""Repositories and requests in one line each."""

from plumbline.base.tree import MemoryTree
from plumbline.kinds.application import ApplicationSource
from plumbline.kinds.values import converted
from plumbline.render import App, Request

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def source_of(path="", **options):
    spec = {"repoURL": "https://git.example/shop.git", "path": path, "targetRevision": "main", **options}
    return converted(spec, ApplicationSource)


def request_for(files, path="", *, links=None, app=None, settings=None, tree=None, **options):
    """The request for *path* in a repository with *files*; *options* are the source's blocks, in camelCase."""
    encoded = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    extra = {} if settings is None else {"settings": settings}
    return Request(
        source=source_of(path, **options),
        tree=tree or MemoryTree(encoded, links),
        app=app
        or App(name="app", namespace="ns", project="shop", revision=COMMIT, repo_url="https://git.example/shop.git"),
        **extra,
    )


def config_map(name, **values):
    lines = "".join(f"  {key}: {value}\n" for key, value in values.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n" + (f"data:\n{lines}" if lines else "")


def names(rendered):
    return [each["metadata"]["name"] for each in rendered.objects]
