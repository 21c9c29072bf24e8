"""The expressions of triggers, in the part of expr-lang that triggers use. Pure and bounded."""

from plumbline.delivery.notifications.expressions.expression import Expression, compiled

__all__ = ["Expression", "compiled"]
