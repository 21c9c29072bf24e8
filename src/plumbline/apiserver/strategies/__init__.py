"""What the server itself decides about objects of each built-in kind when they are written."""

from plumbline.apiserver.strategies.kinds import strategy_of
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.apiserver.strategies.writing import Writing

__all__ = ["Strategy", "Writing", "strategy_of"]
