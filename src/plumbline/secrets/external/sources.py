"""What the parts of a template are in."""

from typing import Final

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretTemplate
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.secrets.external.looking import SECRETS
from plumbline.secrets.external.shaping import Sources, values_of

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")


async def sources_of(client: Client, template: ExternalSecretTemplate | None, namespace: str) -> Sources:
    """What is not there is left out: whoever uses it says so."""
    config_maps, secrets = {}, {}
    for each in template.template_from if template is not None else ():
        if each.config_map is not None and (
            there := await found(client, Target(_CONFIG_MAPS, namespace, each.config_map.name))
        ):
            config_maps[each.config_map.name] = there.get("data") or {}
        if each.secret is not None and (there := await found(client, Target(SECRETS, namespace, each.secret.name))):
            secrets[each.secret.name] = values_of(there)
    return Sources(config_maps, secrets)


async def found(client: Client, target: Target) -> JsonObject | None:
    try:
        return decode(await client.get(target))
    except NotFound:
        return None
