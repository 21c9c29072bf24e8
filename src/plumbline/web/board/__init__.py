"""All Applications as rows: what a list shows of each and nothing else, so that ten thousand of them are a small table.

Lists are questions to it. The objects themselves stay where they are, and whoever wants one whole asks the API server.
"""

from plumbline.web.board.board import Board, Seen
from plumbline.web.board.paging import Facets, Page, paged
from plumbline.web.board.query import Query
from plumbline.web.board.rows import Row
from plumbline.web.board.sight import Sight

__all__ = ["Board", "Facets", "Page", "Query", "Row", "Seen", "Sight", "paged"]
