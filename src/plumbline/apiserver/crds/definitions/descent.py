"""What a schema inherits from those around it."""

from dataclasses import dataclass, replace

from plumbline.apiserver.crds.definitions.costs import Costs, children_at_most, multiplied
from plumbline.apiserver.crds.definitions.options import Options
from plumbline.base.json import JsonObject


@dataclass(frozen=True, slots=True)
class Context:
    """`uncorrelated` is where old and new values ceased to correspond, `count` how many values there can be here at most."""

    options: Options
    compiles: bool
    costs: Costs
    no_defaults: str = ""
    metadata: bool = False
    uncorrelated: str = ""
    count: int | None = 1

    def below(self, schema: JsonObject) -> "Context":
        each = children_at_most(schema)
        count = None if self.count is None or each is None else multiplied(self.count, each)
        return replace(self, count=count)
