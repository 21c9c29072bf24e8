"""Webhooks as each sender writes them, cut down to what matters and some of what does not."""

import hashlib
import hmac
from base64 import b64encode

from plumbline.base.json import encode

OLD = "1111111111111111111111111111111111111111"
NEW = "2222222222222222222222222222222222222222"
NONE = "0" * 40

COMMITS = [
    {"id": OLD, "message": "a", "added": ["apps/a.yaml"], "removed": [], "modified": ["apps/b.yaml"]},
    {"id": NEW, "message": "b", "added": [], "removed": ["old.yaml"], "modified": ["apps/b.yaml"]},
]
FILES = frozenset({"apps/a.yaml", "apps/b.yaml", "old.yaml"})


def github(**changes):
    return {
        "ref": "refs/heads/main",
        "before": OLD,
        "after": NEW,
        "forced": False,
        "commits": COMMITS,
        "repository": {
            "id": 12,
            "html_url": "https://github.com/company/manifests",
            "clone_url": "https://github.com/company/manifests.git",
            "ssh_url": "git@github.com:company/manifests.git",
            "default_branch": "main",
            "owner": {"login": "company"},
        },
        "pusher": {"name": "jane"},
        **changes,
    }


def package(**changes):
    return {
        "action": "published",
        "package": {
            "name": "charts/order",
            "package_type": "CONTAINER",
            "owner": {"login": "Company"},
            "package_version": {"container_metadata": {"tag": {"name": "1.2.3", "digest": "sha256:0"}}},
            **changes,
        },
    }


def gitlab(**changes):
    return {
        "object_kind": "push",
        "event_name": "push",
        "ref": "refs/heads/main",
        "before": OLD,
        "after": NEW,
        "project": {
            "web_url": "https://gitlab.example/company/manifests",
            "git_http_url": "https://gitlab.example/company/manifests.git",
            "git_ssh_url": "git@ssh-gitlab.example:company/manifests.git",
            "default_branch": "main",
        },
        "commits": COMMITS,
        "total_commits_count": 2,
        **changes,
    }


def gogs(**changes):
    return {
        "ref": "refs/heads/main",
        "before": OLD,
        "after": NEW,
        "commits": COMMITS,
        "total_commits": 2,
        "repository": {
            "html_url": "https://git.example/company/manifests",
            "clone_url": "https://git.example/company/manifests.git",
            "ssh_url": "ssh://git@git.example:2222/company/manifests.git",
            "default_branch": "main",
        },
        **changes,
    }


def bitbucket(*changes):
    made = {
        "new": {"type": "branch", "name": "feature/x/y", "target": {"hash": NEW}},
        "old": {"type": "branch", "name": "feature/x/y", "target": {"hash": OLD}},
    }
    return {
        "push": {"changes": list(changes) or [made]},
        "repository": {
            "full_name": "company/manifests",
            "links": {"html": {"href": "https://bitbucket.org/company/manifests"}},
        },
    }


def bitbucket_server(**changes):
    return {
        "eventKey": "repo:refs_changed",
        "repository": {
            "slug": "manifests",
            "links": {
                "clone": [
                    {"href": "ssh://git@bitbucket.example:7999/company/manifests.git", "name": "ssh"},
                    {"href": "https://bitbucket.example/scm/company/manifests.git", "name": "http"},
                    {"href": "javascript:alert(1)", "name": "other"},
                ],
                "self": [{"href": "https://bitbucket.example/projects/COMPANY/repos/manifests/browse"}],
            },
        },
        "changes": [
            {"ref": {"id": "refs/heads/main"}, "fromHash": OLD, "toHash": NEW, "type": "UPDATE"},
            {"ref": {"id": "refs/tags/v1"}, "fromHash": NONE, "toHash": NEW, "type": "ADD"},
        ],
        **changes,
    }


def azure(**changes):
    return {
        "eventType": "git.push",
        "resource": {
            "refUpdates": [{"name": "refs/heads/main", "oldObjectId": OLD, "newObjectId": NEW}],
            "repository": {
                "defaultBranch": "refs/heads/main",
                "remoteUrl": "https://dev.azure.com/company/project/_git/manifests",
            },
            **changes,
        },
    }


def harbor(**changes):
    return {
        "type": "PUSH_ARTIFACT",
        "operator": "admin",
        "event_data": {
            "resources": [{"tag": "1.2.3", "resource_url": "harbor.example:8443/charts/order:1.2.3"}],
            "repository": {"name": "order", "namespace": "charts", "repo_full_name": "charts/order"},
            **changes,
        },
    }


def generic(**changes):
    return {"url": "https://git.example/company/manifests", "ref": "refs/heads/main", **changes}


JSON = {"content-type": "application/json"}
SENDERS = {
    "github": ({"x-github-event": "push"}, github()),
    "ghcr": ({"x-github-event": "package"}, package()),
    "gitlab": ({"x-gitlab-event": "Push Hook"}, gitlab()),
    "gitlab system": ({"x-gitlab-event": "System Hook"}, gitlab()),
    "gogs": ({"x-gogs-event": "push", "x-github-event": "push"}, gogs()),
    "gitea": ({"x-gitea-event": "push", "x-gogs-event": "push", "x-github-event": "push"}, gogs()),
    "bitbucket": ({"x-hook-uuid": "{u}", "x-event-key": "repo:push"}, bitbucket()),
    "bitbucket server": ({"x-event-key": "repo:refs_changed"}, bitbucket_server()),
    "azure": ({"x-vss-activityid": "a"}, azure()),
    "harbor": ({"authorization": "shared harbor secret"}, harbor()),
    "generic": ({}, generic()),
}


def sent(name, payload=None):
    """Headers and body of one of the senders."""
    headers, usual = SENDERS[name]
    return {**JSON, **headers}, encode(usual if payload is None else payload)


def signed(body, secret, prefix="sha256="):
    return prefix + hmac.new(secret, body, hashlib.sha256).hexdigest()


def basic(username, password):
    return "Basic " + b64encode(f"{username}:{password}".encode()).decode()
