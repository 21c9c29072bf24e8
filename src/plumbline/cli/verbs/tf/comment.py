from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common


@click.command("comment")
@click.option(
    "--report",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    required=True,
    help="Markdown to put there; - for stdin.",
)
@click.option(
    "--forge", type=click.Choice(["github", "gitlab", "gitea", "bitbucket"]), help="Whose pull request it is."
)
@click.option("--repository", default="", metavar="OWNER/NAME", help="Which repository; on GitLab its id will do.")
@click.option("--change", default="", metavar="NUMBER", help="Which pull request.")
@click.option("--api", default="", metavar="URL", help="Address of the forge's API.")
@click.option("--name", default="terraform", show_default=True, help="Which of several comments of ours.")
@common
def verb(report: Path, forge: str | None, repository: str, change: str, api: str, name: str) -> Exit:
    """Put a report on a pull request, as one comment that stays.

    The comment is found again by a mark that is not shown, and changed instead of repeated; comments of others are never
    touched. What is not said comes from the variables of GitHub Actions, GitLab CI, Gitea Actions, Bitbucket Pipelines or
    Jenkins. The token is that of $PLUMBLINE_FORGE_TOKEN, or $GITHUB_TOKEN, $GITLAB_TOKEN, $GITEA_TOKEN,
    $BITBUCKET_TOKEN.
    """
    from plumbline.base.environment import environment  # noqa: PLC0415 - not for --help
    from plumbline.cli.terraform.reports import content_of, labelled  # noqa: PLC0415 - same
    from plumbline.terraform.changed.comments import place_of, posted  # noqa: PLC0415 - same

    place = place_of(environment(), forge=forge or "", api=api, repository=repository, change=change)
    done = performed(posted(place, labelled(name), content_of(report)))
    click.echo(
        f"Comment {done.id} on {place} {'is as it was' if done.what == 'unchanged' else 'was ' + done.what}.", err=True
    )
    return Exit.DONE
