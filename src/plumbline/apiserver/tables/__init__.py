"""Objects as rows: the Tables that `kubectl get` prints, and objects cut down to their metadata.

Pure: the moment comes from the caller, objects as bytes or as they were decoded. Every function is total over what the
store may hold. Replies come without the line end that the server puts behind each of them.
"""

from plumbline.apiserver.tables.ages import human_duration
from plumbline.apiserver.tables.assembly import Include, row_table_bytes, table_bytes
from plumbline.apiserver.tables.builtin import cells, columns
from plumbline.apiserver.tables.custom import CustomColumns, custom_columns, scale_columns
from plumbline.apiserver.tables.partial import partial_metadata, partial_metadata_list_bytes
from plumbline.apiserver.tables.printer import Printer

__all__ = [
    "CustomColumns",
    "Include",
    "Printer",
    "cells",
    "columns",
    "custom_columns",
    "human_duration",
    "partial_metadata",
    "partial_metadata_list_bytes",
    "row_table_bytes",
    "scale_columns",
    "table_bytes",
]
