"""A chain of writes to one object: every operation once per list type, in random order, by a fixed number of managers.

Each step starts from the object as the real server left it, so that one mismatch does not spoil the next step.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from tests.conformance.real import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, RealCluster

from plumbline.base.json import JsonObject, decode, encode

from .dice import Dice
from .oracle import Oracle, Verdict
from .patches import as_json_patch, as_merge_patch, as_strategic_patch
from .plan import COUNTED, Cell, Scenario
from .spots import PLAIN, Spot, completed, draw, held
from .trail import Drop, Edit, Put, Trail, edited, look, owned

MANAGERS: Final = ("alpha", "bravo", "charlie")
_DRAWS = 120
_IDLE = 0.1
"""How often a write that changes nothing is taken as well."""


@dataclass
class Mismatch:
    cell: Cell
    manager: str
    live: JsonObject | None
    verdict: Verdict

    def __str__(self) -> str:
        live = encode(self.live).decode()
        theirs = encode(self.verdict.answer.body).decode()
        told = "\n".join(f"    {line}" for line in self.verdict.wrong[:12])
        return (
            f"{self.cell} by {self.manager}\n{told}\n    live: {live}\n"
            f"    request: {encode(self.verdict.request).decode()}\n    server: {self.verdict.answer.status} {theirs}"
        )


class Chain:
    def __init__(self, server: RealCluster, scenario: Scenario, namespace: str) -> None:
        self.subject = scenario.subject
        self.spots = scenario.spots
        self.oracle = Oracle(server, scenario.subject, namespace, scenario.subresource)
        self.dice = Dice(scenario.number)
        self.managers = MANAGERS[: scenario.managers]
        self.namespace = namespace
        self.scenario = scenario
        self.live: JsonObject = {}
        self.configs: dict[str, JsonObject] = {}
        self.filled: Counter[Cell] = Counter()
        self.conflicts = 0
        self.checked = 0
        self.refused = 0
        self.mismatches: list[Mismatch] = []
        self._names = 0
        self._refusal = ""

    def run(self) -> None:
        self._begin()
        for cell in self.dice.shuffled(self.scenario.cells):
            self._fill(cell)

    def counts(self) -> dict[str, int]:
        return dict(zip(COUNTED, (1, len(self.filled), self.checked, self.conflicts, self.refused), strict=True))

    def _begin(self) -> None:
        """An object that every manager has written to once, each to a field that nobody else touches."""
        opening = self._cell("create", PLAIN)
        for _ in range(_DRAWS):
            if self._open(opening):
                break
        if not self.scenario.subresource:
            self._mark()

    def _open(self, cell: Cell) -> bool:
        first, body = self.managers[0], self._fresh()
        self.configs = {manager: self._identity() for manager in self.managers}
        if self.scenario.subresource or self.dice.chance(0.5):
            return self._accept(self.oracle.create(body, first), cell, first, None)
        self.configs[first] = body
        return self._accept(self.oracle.apply(None, body, first), cell, first, None)

    def _mark(self) -> None:
        for manager in self.managers:
            mark = Put(("metadata", "annotations", f"matrix.example.org/{manager}"), "was here")
            self._say(self._cell("forced", PLAIN), manager, edited(self.configs[manager], [mark]), force=True)

    def _fill(self, cell: Cell) -> None:
        for _ in range(_DRAWS):
            if self._step(cell):
                assert self.scenario.subresource or self._present() == set(self.managers), "a manager lost its mark"
                self.filled[cell] += 1
                return
        raise AssertionError(f"no valid request found for {cell}; last refusal: {self._refusal}")

    def _step(self, cell: Cell) -> bool:
        """Try to fill *cell*; whether the server took part in the attempt."""
        match cell.operation:
            case "create":
                return self._create(cell)
            case "giveup":
                return self._give_up(cell)
            case "apply" | "forced":
                return self._apply(cell, force=cell.operation == "forced")
            case operation:
                return self._write(cell, operation)

    def _present(self) -> set[str]:
        return {entry["manager"] for entry in self.live["metadata"].get("managedFields") or ()}

    def _create(self, cell: Cell) -> bool:
        """A new object, carrying the managers of the one before as a restored backup does."""
        spots = self.spots + self.subject.birth_spots
        manager = self.dice.pick(self.managers)
        body = self._fresh()
        edits = self._edits(spots, cell.listed, body)
        recorded = self.live["metadata"].get("managedFields")
        body = edited(body, edits)
        if len(self.managers) > 1 or self.dice.chance(0.5):
            body = edited(body, [Put(("metadata", "managedFields"), recorded)])
        if not self._accept(self.oracle.create(body, manager), cell, manager, None):
            return False
        # The new object has none of what they applied to the old one, so they say their piece again.
        self.configs = {each: self._identity() for each in self.managers}
        self._mark()
        return True

    def _write(self, cell: Cell, operation: str) -> bool:
        manager = self.dice.pick(self.managers)
        edits = self._edits(self.spots, cell.listed, self.live)
        changed = edited(self.live, edits)
        if changed == self.live and not self.dice.chance(_IDLE):
            return False
        return self._accept(self._sent(operation, edits, changed, manager), cell, manager, self.live)

    def _sent(self, operation: str, edits: list[Edit], changed: JsonObject, manager: str) -> Verdict:
        match operation:
            case "json":
                return self.oracle.patch(self.live, as_json_patch(self.live, changed, self.dice), JSON_PATCH, manager)
            case "merge":
                return self.oracle.patch(self.live, as_merge_patch(self.live, changed), MERGE_PATCH, manager)
            case "strategic":
                patch = as_strategic_patch(self.live, edits, self.dice)
                return self.oracle.patch(self.live, patch, STRATEGIC_PATCH, manager)
            case _:
                return self.oracle.update(self.live, _resent(changed, self.dice), manager)

    def _apply(self, cell: Cell, *, force: bool) -> bool:
        manager = self.dice.pick(self.managers)
        config = self.configs[manager]
        changed = edited(config, self._edits(self.spots, cell.listed, config))
        if changed == config and not self.dice.chance(_IDLE):
            return False
        return self._say(cell, manager, changed, force=force)

    def _give_up(self, cell: Cell) -> bool:
        """A manager stops saying some of what it said."""
        able = [manager for manager in self.managers if self._dispensable(manager, cell.listed)]
        if not able or self.dice.chance(0.3):
            # Nobody has anything of the kind to give up, or only what cannot be missed: somebody says more first.
            self._prepare(Cell(cell.kind, "forced", cell.managers, cell.listed))
            return False
        manager = self.dice.pick(able)
        config = self.configs[manager]
        for trail in self.dice.shuffled(self._dispensable(manager, cell.listed))[: 1 + self.dice.below(3)]:
            config = edited(config, [Drop(trail)])
        return self._say(cell, manager, config, force=self.dice.chance(0.5))

    def _dispensable(self, manager: str, listed: str) -> list[Trail]:
        """What *manager* may stop saying: what the object can be without, and what somebody else says as well."""
        entries = self.live["metadata"].get("managedFields") or ()
        return [
            trail
            for trail, optional in held(self.spots, listed, self.configs[manager])
            if optional or sum(owned(entry["fieldsV1"], trail) for entry in entries) > 1
        ]

    def _prepare(self, cell: Cell) -> None:
        """Somebody writes or says something new, or says the same as the object says already."""
        if self.dice.chance(0.5):
            self._write(cell, "merge") if self.dice.chance(0.5) else self._apply(cell, force=True)
            return
        manager = self.dice.pick(self.managers)
        trails = [trail for trail, _ in held(self.spots, cell.listed, self.live)]
        if trails:
            trail = self.dice.pick(trails)
            same = edited(self.configs[manager], [Put(trail, look(self.live, trail))])
            self._say(cell, manager, same, force=True)

    def _say(self, cell: Cell, manager: str, config: JsonObject, *, force: bool) -> bool:
        config = completed(self.spots, config, self.live)
        verdict = self.oracle.apply(self.live, config, manager, force=force)
        accepted = self._accept(verdict, cell, manager, self.live)
        if verdict.answer.fine:
            self.configs[manager] = config
        return accepted

    def _accept(self, verdict: Verdict, cell: Cell, manager: str, live: JsonObject | None) -> bool:
        """Note what was learnt; whether the write reached the part of the server that is compared."""
        if verdict.refused:
            self.refused += 1
            self._refusal = verdict.answer.body.get("message")
            return False
        self.checked += 1
        self.conflicts += verdict.answer.status == 409
        if verdict.wrong:
            self.mismatches.append(Mismatch(cell, manager, live, verdict))
        if verdict.answer.fine:
            self.live = verdict.answer.body
        return True

    def _edits(self, spots: tuple[Spot, ...], listed: str, current: JsonObject) -> list[Edit]:
        edits: list[Edit] = []
        for _ in range(1 + self.dice.below(3)):
            edit = draw(spots, listed, edited(current, edits), self.dice)
            edits.extend([edit] if edit else [])
        return edits

    def _fresh(self) -> JsonObject:
        self._names += 1
        name = f"{self.scenario.slug}-{self._names}"
        return decode(encode(self.subject.made(self.namespace, name, self.dice)))

    def _identity(self) -> JsonObject:
        return self.subject.identity(self.namespace, f"{self.scenario.slug}-{self._names}")

    def _cell(self, operation: str, listed: str) -> Cell:
        return Cell(self.scenario.kind, operation, len(self.managers), listed)


def _resent(obj: JsonObject, dice: Dice) -> JsonObject:
    """*obj* as clients send it back: mostly as it was read, or with other times in its record, or without one."""
    record = ("metadata", "managedFields")
    if dice.chance(0.3):
        entries = [
            {**entry, "time": f"2026-01-0{1 + dice.below(9)}T00:00:00Z"} if dice.chance(0.6) else entry
            for entry in obj["metadata"].get("managedFields") or ()
        ]
        return edited(obj, [Put(record, entries)])
    return edited(obj, [Drop(record)]) if dice.chance(0.2) else obj
