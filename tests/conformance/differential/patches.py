"""The same change as a JSON patch, a merge patch and a strategic merge patch."""

from plumbline.base.json import Json, JsonObject, decode, encode

from .dice import Dice
from .trail import Edit, Item, Member, Put, edited, look


def as_merge_patch(old: Json, new: Json) -> Json:
    """The merge patch that turns *old* into *new*, which must hold no null."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    gone = {key: None for key in old if key not in new}
    return gone | {key: as_merge_patch(old.get(key), value) for key, value in new.items() if old.get(key) != value}


def as_json_patch(old: Json, new: Json, dice: Dice) -> list[JsonObject]:
    """Operations that turn *old* into *new*, guarded by a test here and there."""
    operations: list[JsonObject] = []
    _differ("", old, new, operations)
    if operations and dice.chance(0.5):
        name = old["metadata"]["name"]
        operations.insert(0, {"op": "test", "path": "/metadata/name", "value": name})
    return operations


def _differ(path: str, old: Json, new: Json, out: list[JsonObject]) -> None:
    if old == new and type(old) is type(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            at = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in new:
                out.append({"op": "remove", "path": at})
            elif key not in old:
                out.append({"op": "add", "path": at, "value": new[key]})
            else:
                _differ(at, old[key], new[key], out)
    elif isinstance(old, list) and isinstance(new, list):
        _differ_lists(path, old, new, out)
    else:
        out.append({"op": "replace", "path": path, "value": new})


def _differ_lists(path: str, old: list[Json], new: list[Json], out: list[JsonObject]) -> None:
    shared = min(len(old), len(new))
    removed = next((n for n in range(len(old)) if [*old[:n], *old[n + 1 :]] == new), None)
    if removed is not None:
        out.append({"op": "remove", "path": f"{path}/{removed}"})
    elif len(new) >= len(old) and all(isinstance(value, dict) for value in old):
        for n in range(shared):
            _differ(f"{path}/{n}", old[n], new[n], out)
        out.extend({"op": "add", "path": f"{path}/-", "value": value} for value in new[shared:])
    else:
        out.append({"op": "replace", "path": path, "value": new})


def as_strategic_patch(old: JsonObject, edits: list[Edit], dice: Dice) -> JsonObject:
    """What a client would send for *edits*, with the directives: delete, replace, order, delete from primitive list."""
    new = edited(old, edits)
    patch: JsonObject = {}
    for edit in edits:
        _record(patch, edit, old, new, dice)
    return patch


def _record(node: JsonObject, edit: Edit, old: JsonObject, new: JsonObject, dice: Dice) -> None:
    trail = edit.trail
    for n, step in enumerate(trail):
        if not isinstance(step, str):
            continue
        now = decode(encode(look(new, trail[: n + 1])))
        follows = trail[n + 1] if n + 1 < len(trail) else None
        if now is None or follows is None or (isinstance(follows, Item) and not follows.patch_key):
            node[step] = now
            return
        if isinstance(follows, Member):
            _record_member(node, step, edit, follows)
            return
        if n and dice.chance(0.05):
            node[step] = [{"$patch": "replace"}, *now] if isinstance(now, list) else {"$patch": "replace", **now}
            return
        if isinstance(follows, Item):
            below = _listed_item(node, step, follows, old=look(old, trail[: n + 2]), new=look(new, trail[: n + 2]))
            _order(node, step, follows, now, dice)
            if below is None:
                return
            node = below
        else:
            node = node.setdefault(step, {})


def _listed_item(node: JsonObject, field: str, item: Item, *, old: Json, new: Json) -> JsonObject | None:
    """Name *item* in the patch's list; what is to be changed in it, or None where the patch says all about it."""
    key, value = item.patch_key, dict(item.keys)[item.patch_key]
    listed = node.setdefault(field, [])
    if "$patch" in (listed[0] if listed else {}) and listed[0]["$patch"] == "replace":
        return None
    found = next((n for n, one in enumerate(listed) if one.get(key) == value), None)
    if new is None:
        said = {"$patch": "delete", key: value}
    elif old is None:
        said = decode(encode(new))
    else:
        said = {key: value} if found is None else listed[found]
    if found is None:
        listed.append(said)
    else:
        listed[found] = said
    return None if new is None or old is None else said


def _record_member(node: JsonObject, field: str, edit: Edit, member: Member) -> None:
    directive = f"$deleteFromPrimitiveList/{field}"
    name = field if isinstance(edit, Put) else directive
    other = directive if isinstance(edit, Put) else field
    node[name] = [*(value for value in node.get(name) or [] if value != member.value), member.value]
    node[other] = [value for value in node.get(other) or [] if value != member.value]
    for empty in (key for key in (name, other) if not node[key]):
        del node[empty]


def _order(node: JsonObject, field: str, item: Item, now: list[Json], dice: Dice) -> None:
    """Now and then say in which order the list shall end up, as kubectl does; then the patch has to keep to it."""
    key, directive = item.patch_key, f"$setElementOrder/{field}"
    if directive not in node and dice.chance(0.3):
        node[directive] = [{key: value} for value in dice.shuffled([one[key] for one in now])]
    if directive in node:
        ordered = [one[key] for one in node[directive]]
        node[field].sort(key=lambda one: ordered.index(one[key]) if one.get(key) in ordered else len(ordered))
