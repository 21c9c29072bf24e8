"""What many of the scripts need."""

from tests.apiserver.scripts.steps import Step

SETTLED = [Step("GET", "/api/v1/namespaces/default", compared=False)] * 40
"""The real server's plugins see objects a moment after they were stored."""
