"""What an operator can set, read from the environment, and the folder that the service keeps its data in."""

from __future__ import annotations

import os
from pathlib import Path


class BadSettings(Exception):
    """A setting is wrong; the message is one line for the operator and names the setting."""


def open_data_dir(path: Path) -> Path:
    """Make `path` a folder that only this user can enter, and return it.

    A folder that holds other things is refused: closing it to everybody else could break what uses them.

    Raises:
        BadSettings: it cannot be made or used.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        foreign = not (path / "service.lock").exists() and any(x.name != "lost+found" for x in path.iterdir())
        if foreign:
            raise BadSettings(f"the data folder {path} holds other things: name an empty or a new one")
        path.chmod(0o700)
        # From here on the folder is known as ours.
        os.close(os.open(path / "service.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise BadSettings(f"the data folder {path} cannot be used: {error.strerror}") from None
    return path
