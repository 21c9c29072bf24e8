"""Where people see in a browser what they see here."""

import base64
import sys
from pathlib import Path
from typing import Final
from urllib.parse import quote

import click

from plumbline.access.links import issued
from plumbline.access.realm import CONFIG, SECRETS, SIGNING_KEY
from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.cli.connecting import Where
from plumbline.cli.running import web_of
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_PAGES: Final = {
    "terraform": "terraform", "terraforms": "terraform", "tf": "terraform", "secret": "secrets", "secrets": "secrets",
    "sealedsecret": "secrets", "sealedsecrets": "secrets", "appproject": "settings", "appprojects": "settings",
    "proj": "settings", "project": "settings", "cluster": "settings", "repository": "settings", "repo": "settings",
}  # fmt: skip
_APPLICATIONS: Final = frozenset({"app", "apps", "application", "applications"})


async def address(where: Where, target: str, folder: Path) -> str:
    """The address of a page; of an installation on this machine, one that logs in. Raises NotFound."""
    path = page(target, where.namespace)
    login = where.login()
    if login is not None:
        return f"{login.server.url}{path}"
    here = "" if where.kubeconfig or where.context else web_of(folder)
    if here:
        return f"{here}{path}" if target else f"{here}/auth/link?token={await _link(folder, where.namespace)}"
    async with where.connected() as client:
        return f"{await _said(client, where.namespace)}{path}"


def page(target: str, namespace: str) -> str:
    """The path of the page that is about *target*, which is KIND/NAME, KIND/NAMESPACE/NAME or nothing."""
    if not target:
        return "/"
    kind, *rest = target.split("/")
    if not kind or not 1 <= len(rest) <= 2 or not all(rest):  # noqa: PLR2004 - a namespace and a name
        raise InvalidInput(f"{target!r} does not name an object", hint="Write KIND/NAME, such as app/shop.")
    known = kind.lower().partition(".")[0]
    if known in _APPLICATIONS:
        place, name = rest if len(rest) > 1 else (namespace, rest[0])
        return f"/applications/{quote(place, safe='')}/{quote(name, safe='')}"
    return f"/{_PAGES.get(known, 'infra')}"


async def _link(folder: Path, namespace: str) -> str:
    async with Client.connect(Connection.load(folder / "kubeconfig")) as client:
        secret = decode(await client.get(Target(_SECRETS, namespace, SECRETS)))
    key = base64.b64decode((secret.get("data") or {}).get(SIGNING_KEY, ""))
    if not key:
        raise NotFound(f"{SECRETS} has no {SIGNING_KEY}", hint="It is made when the web port starts first.")
    return issued(Plaintext(key), SystemClock().now()).reveal().decode()


async def _said(client: Client, namespace: str) -> str:
    try:
        config = decode(await client.get(Target(_CONFIG_MAPS, namespace, CONFIG)))
    except NotFound:
        config = {}
    url = str((config.get("data") or {}).get("url") or "").rstrip("/")
    if not url:
        why = f"{CONFIG} in {namespace} has no url, and nothing runs in the data folder"
        raise NotFound("nobody says where the web page is", why=why, hint="Set url, or log in: plumb login SERVER.")
    return url


def launched(url: str, *, wanted: bool | None) -> None:
    """Have a browser open *url*, where somebody wants or there is somebody at a terminal."""
    if wanted is False or (wanted is None and not sys.stdout.isatty()):
        return
    import webbrowser  # noqa: PLC0415 - only who asks for it waits for it

    if not webbrowser.open(url) and wanted:
        click.echo("There is no browser here: open it yourself.", err=True)
