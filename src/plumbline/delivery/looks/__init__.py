"""One question to delivery, by somebody who changes nothing: what Git asks for, how what is there differs, what a sync would do.

`Looking` has rooms of its own beside those of the controller, whose memory of the last target it must not disturb.
"""

from plumbline.delivery.looks.looking import Found, Look, Looking, Tools, Wanted
from plumbline.delivery.looks.showing import bodies, differences, manifests
from plumbline.delivery.looks.trying import fault

__all__ = ["Found", "Look", "Looking", "Tools", "Wanted", "bodies", "differences", "fault", "manifests"]
