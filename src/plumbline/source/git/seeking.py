"""Names and commits that somebody wants and that are not known yet: the other side is asked, and not for each of them again."""

from typing import TypeAlias

from plumbline.base.errors import NotFound
from plumbline.source.followed import Followed
from plumbline.source.git.remote import GitRemote
from plumbline.source.git.revisions import special
from plumbline.source.repository import Repository

FollowedGit: TypeAlias = Followed[GitRemote]


async def look_for(followed: FollowedGit, repository: Repository, revision: str) -> bool:
    """Ask the other side about a name that is not known; False where there was no reason to."""
    ref = special(revision)
    if not ref:
        return await followed.look_again(repository)
    remote = followed.remote
    if not remote.follows(ref) and not remote.absent(ref):
        remote.follow(ref)
        await followed.wait_for(repository)
        if not remote.has(ref):
            remote.miss(ref)
    return True


async def hold(followed: FollowedGit, repository: Repository, sha: str) -> None:
    """See to it that the commit is in the mirror, or raise NotFound."""
    remote = followed.remote
    objects = remote.mirror.objects
    if objects.holds(sha) or (await followed.look_again(repository) and objects.holds(sha)):
        return
    missing = NotFound(f"Cannot read the commit {sha:.12}", why=f"{followed.state.url} has no such commit")
    if remote.absent(sha):
        raise missing
    async with followed.turn:
        try:
            await remote.commit(repository, sha)
        except NotFound:
            remote.miss(sha)
            raise missing from None
