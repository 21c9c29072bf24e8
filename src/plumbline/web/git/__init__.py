"""`/git/NAME.git`: the repositories of the local forge over smart HTTP. Git does the work, one process a request."""

from plumbline.web.git.access import Access, token_at
from plumbline.web.git.service import Git, GitLimits

__all__ = ["Access", "Git", "GitLimits", "token_at"]
