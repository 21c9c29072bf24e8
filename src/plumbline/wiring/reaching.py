"""Whether a repository answers, as somebody describes it who has not saved it yet."""

from collections.abc import Callable
from typing import Final

from plumbline.source.charts import ChartSources
from plumbline.source.git import GitSources
from plumbline.source.repository import Repository
from plumbline.web.api.repositories import Test

_WITHIN_S: Final = 10.0


def reaching(commits: GitSources, charts: ChartSources, placed: Callable[[Repository], Repository]) -> Test:
    """*placed* says where one stands that this installation serves itself."""

    async def reach(repository: Repository) -> None:
        if repository.type == "git":
            await commits.reach(placed(repository), within_s=_WITHIN_S)
        else:
            await charts.reach(repository, within_s=_WITHIN_S)

    return reach
