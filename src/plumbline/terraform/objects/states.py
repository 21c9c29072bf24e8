"""The state of a Terraform object: where it is, what is in it, and its outputs."""

from typing import NamedTuple

import msgspec

from plumbline.base.errors import BadDocument, InvalidInput, NotFound
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Target
from plumbline.terraform.inputs import Reach, entries_of
from plumbline.terraform.inputs.backend import backend
from plumbline.terraform.objects.store import CONFIG_MAPS, SECRETS, Terraforms, typed
from plumbline.terraform.state import Copies, Place, State, read


class Output(NamedTuple):
    value: Plaintext
    """JSON."""
    sensitive: bool


class _Written(msgspec.Struct):
    value: msgspec.Raw = msgspec.Raw(b"null")
    sensitive: bool = False


class _Outputs(msgspec.Struct):
    outputs: dict[str, _Written] = {}


async def place_of(terraforms: Terraforms, obj: JsonObject) -> Place:
    """Where its state is. Raises InvalidInput where that is not in Secrets of the cluster."""
    subject = typed(obj)
    kept = backend(subject.ref, subject.spec, Reach()).kept
    if kept is None:
        raise InvalidInput(
            f"the state of {subject.ref.name} is not in this cluster",
            why="its backend is another",
            hint="Use that backend's own tools.",
        )
    said = {"namespace": kept.namespace, "secret_suffix": kept.suffix}
    for each in subject.spec.backend_configs_from:
        resource = SECRETS if each.kind == "Secret" else CONFIG_MAPS
        try:
            found = decode(await terraforms.client.get(Target(resource, subject.ref.namespace, each.name)))
        except NotFound:
            continue
        named = {key: value for key, value in entries_of(found, each.kind).items() if not each.keys or key in each.keys}
        said |= {key: named[key].reveal().decode() for key in said if key in named}
    return Place(said["namespace"], subject.spec.workspace or "default", said["secret_suffix"])


async def state_of(terraforms: Terraforms, name: str, offer: Copies | None = None) -> State:
    place = await place_of(terraforms, await terraforms.get(name))
    found = await (read(terraforms.client, place, offer.offer) if offer else read(terraforms.client, place))
    if found is None:
        raise NotFound(f"there is no state {place}", hint=f"Nothing was applied yet; plan with: plumb tf plan {name}.")
    return found


async def outputs_of(terraforms: Terraforms, name: str) -> dict[str, Output]:
    """From the state; where that is elsewhere, from the Secret that they are written to, all of them taken for sensitive."""
    obj = await terraforms.get(name)
    subject = typed(obj)
    try:
        place = await place_of(terraforms, obj)
    except InvalidInput:
        wanted = subject.spec.write_outputs_to_secret
        if wanted is None:
            raise
        secret = decode(await terraforms.client.get(Target(SECRETS, subject.ref.namespace, wanted.name)))
        entries = entries_of(secret, "Secret").items()
        return {key: Output(Plaintext(encode(value.reveal().decode())), sensitive=True) for key, value in entries}
    state = await read(terraforms.client, place)
    return {} if state is None else outputs_in(state.text)


def outputs_in(text: Plaintext) -> dict[str, Output]:
    try:
        written = msgspec.json.decode(text.reveal(), type=_Outputs)
    except msgspec.DecodeError:
        raise BadDocument("The outputs cannot be read", why="the state has another form") from None
    return {
        name: Output(Plaintext(bytes(each.value)), each.sensitive) for name, each in sorted(written.outputs.items())
    }


def value_of(output: Output) -> Json:
    return decode(output.value.reveal())
