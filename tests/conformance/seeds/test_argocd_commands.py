"""What people type who know Argo CD, at a shell where `argocd` is another name for `plumb`."""

import pytest

from .platform import SERVICE

pytestmark = pytest.mark.conformance


def test_the_first_password_is_printed_by_the_command_that_everybody_copies(platform):
    kubectl = "kubectl -n argocd get secret argocd-initial-admin-secret"
    said = platform.typed(f'{kubectl} -o jsonpath="{{.data.password}}" | base64 -d')
    assert said.code == 0, said.err
    assert len(said.out) >= 16
    assert said.out not in platform.log


def test_logging_in_takes_the_first_password_and_no_other(platform):
    server = platform.web.removeprefix("http://")
    platform.stand_for("app-repo", "https://github.com/company/by-login")
    password = platform.typed(
        "kubectl -n argocd get secret argocd-initial-admin-secret -o jsonpath='{.data.password}' | base64 -d"
    ).out
    said = platform.typed(f"argocd login {server} --username admin --password {password}")
    assert said.code == 0, said.err
    assert "'admin' logged in successfully" in said.out
    assert platform.typed(f"argocd login {server} --username admin --password x").code != 0


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("{own}", "{own}"),
        (
            "https://github.com/company/private --username robot --password hunter2",
            "https://github.com/company/private",
        ),
        ("git@github.com:company/by-key.git --ssh-private-key-path ~/.ssh/id_rsa", "git@github.com:company/by-key.git"),
    ],
    ids=["public", "private", "by key"],
)
def test_repositories_are_added_and_listed(platform, line, url):
    key = platform.folder.parent / ".ssh" / "id_rsa"
    if not key.exists():
        key.parent.mkdir()
        made = platform.shell(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)])
        assert made.code == 0, made.err
    own = f"{platform.web}/git/app-repo.git"
    if "{own}" not in url:
        platform.stand_for("app-repo", url)  # what does not answer is refused, as by Argo CD
    said = platform.typed(f"argocd repo add {line.format(own=own)}")
    assert said.code == 0, said.err
    listed = platform.typed("argocd repo list")
    assert url.format(own=own) in listed.out, listed.out + listed.err
    assert "hunter2" not in listed.out + listed.err + platform.log


def test_whoever_has_logged_in_needs_no_kubeconfig(platform):
    """The lines of the guide, one after the other, at a shell of somebody who cannot reach the cluster."""
    server = platform.web.removeprefix("http://")
    password = platform.typed(
        "kubectl -n argocd get secret argocd-initial-admin-secret -o jsonpath='{.data.password}' | base64 -d"
    ).out
    made = (
        f"argocd app create by-login --repo {SERVICE} --path k8s/overlays/production --revision HEAD "
        "--dest-server https://kubernetes.default.svc --dest-namespace by-login --sync-option CreateNamespace=true"
    )
    lines = [
        "unset KUBECONFIG",
        "set -e",
        f"argocd login {server} --username admin --password {password}",
        f"argocd repo add {platform.web}/git/app-repo.git --upsert",
        "argocd repo add https://github.com/company/by-login --username robot --password hunter2",
        "argocd repo list",
        made,
        "argocd app sync by-login --timeout 120",
        "argocd app get by-login",
        "argocd app list",
        "argocd app resources by-login",
        "argocd app diff by-login",
        "argocd app delete by-login --yes --wait",
        "argocd repo rm https://github.com/company/by-login",
    ]
    said = platform.typed("\n".join(lines))
    assert said.code == 0, said.out + said.err
    assert "https://github.com/company/by-login" in said.out
    assert "Sync Policy:        Manual" in said.out
    assert "hunter2" not in said.out + said.err + platform.log


def test_a_manual_application_is_listed_shown_and_synced(platform):
    made = platform.typed(
        f"argocd app create manual --repo {SERVICE} --path k8s/overlays/production --revision HEAD "
        "--dest-server https://kubernetes.default.svc --dest-namespace staging --sync-option CreateNamespace=true"
    )
    assert made.code == 0, made.err
    shown = platform.until(lambda: _said(platform, "argocd app get manual", "OutOfSync"))
    assert "Sync Policy:        Manual" in shown
    said = platform.typed("argocd app sync manual")
    assert said.code == 0, said.out + said.err
    assert "manual" in platform.typed("argocd app list").out
    assert platform.until(lambda: _said(platform, "argocd app get manual", "Healthy"))
    gone = platform.typed("argocd app delete manual --yes --wait")
    assert gone.code == 0, gone.out + gone.err
    assert platform.app("manual") is None


def _said(platform, line, text):
    said = platform.typed(line)
    return said.out if text in said.out else ""
