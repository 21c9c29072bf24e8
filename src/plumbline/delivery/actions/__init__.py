"""What people can do with an object of some kind: restart it, scale it, or what the settings say in Lua.

`offered` says what an object offers now, `outcome` what an action makes of it. Nobody's hands are in here: both give
values, and whoever asked carries them out.
"""

from plumbline.delivery.actions.acting import offered, outcome
from plumbline.delivery.actions.builtin import Asked
from plumbline.delivery.actions.values import Impact, Offer

__all__ = ["Asked", "Impact", "Offer", "offered", "outcome"]
