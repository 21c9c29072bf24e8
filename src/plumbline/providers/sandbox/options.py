"""What can be asked of a sandbox, at its start or while it runs (`PUT /_sandbox/options`)."""

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec

Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]

DEFAULT_SECONDS: Final = 3.0


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    state_s: Seconds = DEFAULT_SECONDS
    """How long what AWS takes minutes for (a database, a cluster) is being created or deleted."""
    states_s: Mapping[str, Seconds] = {}
    """The same for one state of one kind: `{"db-instance/creating": 10}`. See `states.table`."""
    clock_factor: Annotated[float, msgspec.Meta(gt=0, le=1_000_000)] = 1.0
    """How much faster than ours its clock runs."""
    consistency_s: Seconds = 0.0
    """How long something new is not found yet by those who read."""
    throttled: bool = False
    """Whether request rates are limited as AWS limits them. See `throttling`."""
    queue_name_wait_s: Seconds = 0.0
    """How long the name of a deleted queue stays taken; on AWS it is 60."""
    refused_keys: frozenset[str] = frozenset()
    """Ids of access keys that are not valid. `*` is all of them."""
    journal_bytes: Annotated[int, msgspec.Meta(ge=0)] = 256 << 20
    """How much of what was written is kept for the next start, where there is a folder to keep it in."""
