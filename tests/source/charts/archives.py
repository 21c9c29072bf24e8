"""Archives that tests make: honest ones, and others."""

import gzip
import hashlib
import io
import tarfile


def member(name, content=b"", **more):
    """A header and its content, not checked by anybody."""
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in more.items():
        setattr(info, field, value)
    return info, content


def tar(*members, form=tarfile.PAX_FORMAT):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content) if content else None)
    return file.getvalue()


def tgz(*members, form=tarfile.PAX_FORMAT):
    return gzip.compress(tar(*members, form=form), mtime=0)


def chart(name="app", version="1.0.0", **files):
    """An archive as `helm package` makes it."""
    content = {
        "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: {version}\n",
        "templates/map.yaml": "kind: ConfigMap\n",
        **files,
    }
    return tgz(*(member(f"{name}/{path}", text.encode()) for path, text in content.items()))


def sha256(content):
    return hashlib.sha256(content).hexdigest()
