"""Whose account a bot plays with: a key that is given, or one that is kept in a file from run to run."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spieltisch.client import Client
from spieltisch.local import LOCAL

#: How long a bot tries a request again: longer than a service takes to be replaced.
_RETRY_FOR_S = 600.0


def sign_in(url: str, name: str, key: str | None, key_file: Path | None, **options: Any) -> tuple[Client, Path | None]:
    """The client of the bot's account, and where its key is kept.

    key: given, or else SPIELTISCH_KEY; then nothing is kept. key_file: where the key lies, or will once an account
    called `name` is made for it; by default one for each service and name.
    """
    given = key or os.environ.get("SPIELTISCH_KEY") or None
    settings = {"retry_for": _RETRY_FOR_S, **options}
    if given is not None:
        return Client(url, given, **settings), None
    if url == LOCAL:
        # Its accounts end with the process.
        return Client(url, **settings).register(name, kind="bot"), None
    path = key_file or kept_at(url, name)
    if path.exists():
        return Client(url, path.read_text("utf-8").strip(), **settings), path
    client = Client(url, **settings).register(name, kind="bot")
    assert client.key is not None
    _keep(path, client.key)
    return client, path


def kept_at(url: str, name: str) -> Path:
    """The file of the key of a bot of that name on that service."""
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    service = re.sub(r"[^A-Za-z0-9.-]+", "_", urlsplit(url).netloc)
    return Path(base).expanduser() / "spieltisch" / "keys" / service / re.sub(r"[^\w.-]+", "_", name)


def _keep(path: Path, key: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Never readable for others, not even for a moment.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(f"{key}\n")
