"""What an operator can set, read from the environment, and the folder that the service keeps its data in."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from environs import Env, EnvError, EnvValidationError
from marshmallow import ValidationError
from marshmallow.validate import Length, OneOf, Range

Durability = Literal["fsync", "fast"]
Log = Literal["warning", "info"]

_STORE_SCHEMES = ("redis", "rediss", "unix", "redis+cluster")
_DAY_MS = 86_400_000


class BadSettings(Exception):
    """A setting is wrong; the message is one line for the operator and names the setting."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that an operator can set, checked. Each is a variable of the environment; `--help` names the options.

    redis_url: `REDIS_URL`, the store; None: the service starts its own in `data_dir`.
    secret: `SPIELTISCH_SECRET`, what all tokens are derived from; needed with `REDIS_URL`, else kept in `data_dir`.
    data_dir: `SPIELTISCH_DATA_DIR`. Neither made nor read where both of the above are given.
    durability: `SPIELTISCH_DURABILITY`, how the service's own store writes: `fsync` before each answer, or `fast`.
    host, port: `SPIELTISCH_HOST`, `SPIELTISCH_PORT`, where to listen; port 0 is any free one.
    workers: `SPIELTISCH_WORKERS`, server processes.
    streams_per_worker: `SPIELTISCH_STREAMS_PER_WORKER`, event streams that one process holds open at most.
    expires_after_ms: `SPIELTISCH_EXPIRES_AFTER_MS`, after which a running match without an event is aborted.
    seat_abort_after_ms: `SPIELTISCH_SEAT_ABORT_AFTER_MS`, after which any seat may ask for that.
    allow_unsafe_store: `SPIELTISCH_ALLOW_UNSAFE_STORE`, serve on a store that may lose data.
    log: `SPIELTISCH_LOG`, `warning` or, for a line a request, `info`.
    """

    redis_url: str | None = field(default=None, repr=False)
    secret: str = field(repr=False)
    data_dir: Path
    durability: Durability = "fsync"
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 2
    streams_per_worker: int = 2000
    expires_after_ms: int = 30 * _DAY_MS
    seat_abort_after_ms: int = 7 * _DAY_MS
    allow_unsafe_store: bool = False
    log: Log = "warning"

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the settings, and make the data folder and its secret where they are needed.

        Raises:
            BadSettings: a value is missing or wrong.
        """
        env = Env()
        try:
            redis_url = env.str("REDIS_URL", None, validate=_is_store_url)
            data_dir = _data_dir(env.str("SPIELTISCH_DATA_DIR", ""))
            given = env.str("SPIELTISCH_SECRET", None, validate=Length(min=32, error="needs at least 32 characters."))
            if redis_url and given is None:
                raise BadSettings("SPIELTISCH_SECRET: is needed with REDIS_URL (32 or more random characters)")
            return cls(
                redis_url=redis_url or None,
                data_dir=data_dir,
                durability=_durability(env),
                host=env.str("SPIELTISCH_HOST", cls.host, validate=Length(min=1)),
                port=env.int("SPIELTISCH_PORT", cls.port, validate=Range(0, 65_535)),
                workers=env.int("SPIELTISCH_WORKERS", cls.workers, validate=Range(1, 256)),
                streams_per_worker=env.int(
                    "SPIELTISCH_STREAMS_PER_WORKER", cls.streams_per_worker, validate=Range(0, 100_000)
                ),
                expires_after_ms=env.int("SPIELTISCH_EXPIRES_AFTER_MS", cls.expires_after_ms, validate=Range(1)),
                seat_abort_after_ms=env.int(
                    "SPIELTISCH_SEAT_ABORT_AFTER_MS", cls.seat_abort_after_ms, validate=Range(1)
                ),
                allow_unsafe_store=env.bool("SPIELTISCH_ALLOW_UNSAFE_STORE", cls.allow_unsafe_store),
                log=_log(env),
                # Last, so that a wrong value elsewhere leaves no folder behind.
                secret=given if given is not None else _kept_secret(open_data_dir(data_dir)),
            )
        except EnvValidationError as error:
            raise BadSettings(_one_line(error)) from None
        except EnvError as error:
            raise BadSettings(str(error)) from None


def named_store() -> tuple[str | None, Path]:
    """The store's URL, or None, and the data folder, as the environment names them; nothing is made.

    Raises:
        BadSettings: a value is wrong.
    """
    env = Env()
    try:
        url = env.str("REDIS_URL", None, validate=_is_store_url)
        return url or None, _data_dir(env.str("SPIELTISCH_DATA_DIR", ""))
    except EnvValidationError as error:
        raise BadSettings(_one_line(error)) from None


def open_data_dir(path: Path) -> Path:
    """Make `path` a folder that only this user can enter, and return it.

    A folder that holds other things is refused: closing it to everybody else could break what uses them.

    Raises:
        BadSettings: it cannot be made or used.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        ours = (path / "service.lock").exists()
        # A secret alone was put there for a restore.
        foreign = not ours and any(x.name not in ("lost+found", "secret") for x in path.iterdir())
        if foreign:
            raise BadSettings(f"the data folder {path} holds other things: name an empty or a new one")
        path.chmod(0o700)
        # From here on the folder is known as ours.
        os.close(os.open(path / "service.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise BadSettings(f"the data folder {path} cannot be used: {error.strerror}") from None
    return path


def _kept_secret(data_dir: Path) -> str:
    """Return the secret of the folder, made by whoever comes first: 32 random bytes as hex."""
    kept = data_dir / "secret"
    try:
        if not kept.exists():
            _draw_secret(kept)
        secret = kept.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        raise BadSettings(f"the secret in {kept} cannot be used: {error.strerror}") from None
    if len(secret) < 32:
        raise BadSettings(f"the secret in {kept} is damaged: restore it, or remove it and with it all tokens")
    return secret


def _draw_secret(kept: Path) -> None:
    fresh = kept.with_name(f"secret.{secrets.token_hex(8)}")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(fd)
    try:
        # A link, unlike a rename, never replaces the secret of a process that was quicker.
        os.link(fresh, kept)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def _data_dir(given: str) -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    try:
        return Path(given or f"{base}/spieltisch").expanduser().absolute()
    except RuntimeError as error:
        raise BadSettings(f"SPIELTISCH_DATA_DIR: {error}") from None


def _durability(env: Env) -> Durability:
    level = env.str("SPIELTISCH_DURABILITY", "fsync", validate=OneOf(["fsync", "fast"], error="is fsync or fast."))
    return "fast" if level == "fast" else "fsync"


def _log(env: Env) -> Log:
    level = env.str("SPIELTISCH_LOG", "warning", validate=OneOf(["warning", "info"], error="is warning or info."))
    return "info" if level == "info" else "warning"


def _is_store_url(url: str) -> None:
    parts = urlsplit(url)
    named = parts.path if parts.scheme == "unix" else parts.hostname
    if url and (parts.scheme not in _STORE_SCHEMES or not named):
        raise ValidationError(f"is no URL of a store ({', '.join(f'{x}://' for x in _STORE_SCHEMES)}).")


def _one_line(error: EnvValidationError) -> str:
    name = str(error).split('"')[1] if '"' in str(error) else "environment"
    reasons = error.error_messages
    first = reasons[0] if isinstance(reasons, list) and reasons else str(reasons)
    return f"{name}: {first}"
