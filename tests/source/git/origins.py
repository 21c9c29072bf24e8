"""Repositories for tests to follow, written in process."""

from pathlib import Path

import pygit2
from pygit2.enums import FileMode, ObjectType

AUTHOR = pygit2.Signature("Ada", "ada@example.com", 1_700_000_000, 60)


class Origin:
    """A bare repository, with what each branch holds."""

    def __init__(self, path):
        self.path = Path(path)
        self.repository = pygit2.init_repository(str(path), bare=True, initial_head="main")
        self._files = {}

    def push(self, files, branch="main", *, message="a change", modes=None, parents=None, remove=()):
        """A commit with *files* on top of what the branch has; its hash."""
        held = self._files.setdefault(branch, {})
        for path, content in files.items():
            raw = content.encode() if isinstance(content, str) else content
            mode = (modes or {}).get(path, FileMode.BLOB)
            oid = pygit2.Oid(hex=raw.decode()) if mode == FileMode.COMMIT else self.repository.create_blob(raw)
            held[path] = (oid, mode)
        for path in remove:
            del held[path]
        index = pygit2.Index()
        for path, (oid, mode) in held.items():
            index.add(pygit2.IndexEntry(path, oid, mode))
        name = f"refs/heads/{branch}"
        tip = self.repository.references.get(name)
        above = [tip.target] if tip is not None and parents is None else list(parents or ())
        sha = self.repository.create_commit(None, AUTHOR, AUTHOR, message, index.write_tree(self.repository), above)
        self.point(name, sha)
        return str(sha)

    def point(self, ref, sha):
        self.repository.references.create(ref, sha, force=True)

    def delete(self, ref):
        self.repository.references.delete(ref)

    def tag(self, name, sha, message=""):
        """Annotated where there is a message. What the tag is."""
        if not message:
            self.point(f"refs/tags/{name}", sha)
            return str(sha)
        return str(self.repository.create_tag(name, sha, ObjectType.COMMIT, AUTHOR, message))

    def raw_tree(self, entries):
        """A tree object with any names at all."""
        written = b"".join(f"{mode:o} ".encode() + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
        return str(self.repository.write(ObjectType.TREE, written))
