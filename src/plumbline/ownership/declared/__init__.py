"""What files in Git declare: manifests, Applications, Compositions and HCL, checked against each other offline.

Pure: files come in as values, a report goes out. Reading them from a disk is done in `edges`.
"""

from plumbline.ownership.declared.check import Options, check
from plumbline.ownership.declared.files import File, Unread
from plumbline.ownership.declared.policies import read_policy
from plumbline.ownership.declared.report import Report

__all__ = ["File", "Options", "Report", "Unread", "check", "read_policy"]
