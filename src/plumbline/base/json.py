"""JSON as values: the names of what it can be, and the one encoder and decoder.

Trusted bytes only. What comes from outside goes through `base.documents`, which sets limits first.
"""

from typing import Any, TypeAlias

import msgspec

Json: TypeAlias = Any
"""Any value that JSON can hold. Not checked by types; the pure algorithms that use it are total over it."""

JsonObject: TypeAlias = dict[str, Any]

decode = msgspec.json.decode

_encoder = msgspec.json.Encoder()
_sorting_encoder = msgspec.json.Encoder(order="sorted")

encode = _encoder.encode
encode_sorted = _sorting_encoder.encode
"""Canonical bytes: equal values give equal bytes, whatever order their keys came in."""
