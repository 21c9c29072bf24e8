"""How requests wait their turn."""

from typing import Final

from plumbline.apiserver.defaults.rules import record

FLOW_SCHEMA: Final = record(fields={"spec": record(zero={"matchingPrecedence": 1000})})

_QUEUING: Final = record(zero={"handSize": 8, "queues": 64, "queueLengthLimit": 50})
PRIORITY_LEVEL: Final = record(
    fields={
        "spec": record(
            fields={
                "limited": record(
                    absent={"nominalConcurrencyShares": 30, "lendablePercent": 0},
                    fields={"limitResponse": record(fields={"queuing": _QUEUING})},
                ),
                "exempt": record(absent={"nominalConcurrencyShares": 0, "lendablePercent": 0}),
            }
        )
    }
)
