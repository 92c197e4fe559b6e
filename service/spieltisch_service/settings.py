"""What an operator can set, read from the environment, and the folder that the service keeps its data in."""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from environs import Env, EnvError, EnvValidationError
from marshmallow import ValidationError
from marshmallow.validate import Length, OneOf, Range

from spieltisch_service.app.limits import LIVE_MATCHES, LIVE_TOURNAMENTS, RATES, STREAMS_PER_KEY, Limits, Policy, Rate
from spieltisch_service.domain.match import Lifetimes

Durability = Literal["fsync", "fast"]
Log = Literal["warning", "info"]
Switch = Literal["on", "off", "auto"]

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
    open_expires_after_ms: `SPIELTISCH_OPEN_EXPIRES_AFTER_MS`, after which an open match without an event is aborted.
    expires_after_ms: `SPIELTISCH_EXPIRES_AFTER_MS`, after which a running match without an event is aborted.
    keep_ended_days: `SPIELTISCH_KEEP_ENDED_DAYS`, after which an ended match is deleted; None: it is kept for good.
    seat_abort_after_ms: `SPIELTISCH_SEAT_ABORT_AFTER_MS`, after which any seat may ask for that.
    limits: `SPIELTISCH_LIMITS`, `on`, `off`, or `auto`: on unless the service listens on loopback only.
    rates: `SPIELTISCH_RATES`, other numbers for some policies, as `reads=3000/12000` (of a key / of an address).
    live_matches: `SPIELTISCH_LIVE_MATCHES`, open and running matches that an account may have where limits are on.
    live_tournaments: `SPIELTISCH_LIVE_TOURNAMENTS`, tournaments without an end that it may organize then.
    streams_per_key: `SPIELTISCH_STREAMS_PER_KEY`, event streams that a key may hold in one process where limits are on.
    trusted_proxies: `SPIELTISCH_TRUSTED_PROXIES`, how many proxies before the service add to `X-Forwarded-For`.
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
    open_expires_after_ms: int = 7 * _DAY_MS
    expires_after_ms: int = 30 * _DAY_MS
    keep_ended_days: int | None = None
    seat_abort_after_ms: int = 7 * _DAY_MS
    limits: Switch = "auto"
    rates: Mapping[Policy, Rate] = field(default_factory=lambda: RATES)
    live_matches: int = LIVE_MATCHES
    live_tournaments: int = LIVE_TOURNAMENTS
    streams_per_key: int = STREAMS_PER_KEY
    trusted_proxies: int = 0
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
                open_expires_after_ms=env.int(
                    "SPIELTISCH_OPEN_EXPIRES_AFTER_MS", cls.open_expires_after_ms, validate=Range(1)
                ),
                keep_ended_days=env.int("SPIELTISCH_KEEP_ENDED_DAYS", None, validate=Range(1, 36_500)),
                expires_after_ms=env.int("SPIELTISCH_EXPIRES_AFTER_MS", cls.expires_after_ms, validate=Range(1)),
                seat_abort_after_ms=env.int(
                    "SPIELTISCH_SEAT_ABORT_AFTER_MS", cls.seat_abort_after_ms, validate=Range(1)
                ),
                limits=_limits(env),
                rates=_rates(env),
                live_matches=env.int("SPIELTISCH_LIVE_MATCHES", cls.live_matches, validate=Range(1, 1_000_000_000)),
                live_tournaments=env.int(
                    "SPIELTISCH_LIVE_TOURNAMENTS", cls.live_tournaments, validate=Range(1, 1_000_000_000)
                ),
                streams_per_key=env.int("SPIELTISCH_STREAMS_PER_KEY", cls.streams_per_key, validate=Range(0, 100_000)),
                trusted_proxies=env.int("SPIELTISCH_TRUSTED_PROXIES", cls.trusted_proxies, validate=Range(0, 16)),
                allow_unsafe_store=env.bool("SPIELTISCH_ALLOW_UNSAFE_STORE", cls.allow_unsafe_store),
                log=_log(env),
                # Last, so that a wrong value elsewhere leaves no folder behind.
                secret=given if given is not None else _kept_secret(open_data_dir(data_dir)),
            )
        except EnvValidationError as error:
            raise BadSettings(_one_line(error)) from None
        except EnvError as error:
            raise BadSettings(str(error)) from None

    @property
    def lifetimes(self) -> Lifetimes:
        """How long matches last that are created now."""
        days = self.keep_ended_days
        kept_ms = None if days is None else days * _DAY_MS
        return Lifetimes(self.open_expires_after_ms, self.expires_after_ms, kept_ms)

    def limits_in_force(self) -> Limits | None:
        """What callers are held to; None: to nothing."""
        if self.limits == "off" or (self.limits == "auto" and self.only_from_here):
            return None
        return Limits(self.rates, self.live_matches, self.streams_per_key, live_tournaments=self.live_tournaments)

    @property
    def only_from_here(self) -> bool:
        """Whether nobody but this machine can reach the service."""
        try:
            found = {str(each[4][0]) for each in socket.getaddrinfo(self.host, None, flags=socket.AI_PASSIVE)}
        except OSError:
            return False
        return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in found)


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


def _limits(env: Env) -> Switch:
    switch = env.str("SPIELTISCH_LIMITS", "auto", validate=OneOf(["on", "off", "auto"], error="is on, off or auto."))
    return "on" if switch == "on" else "off" if switch == "off" else "auto"


def _rates(env: Env) -> Mapping[Policy, Rate]:
    """The table with the numbers that the environment has instead. Raises BadSettings."""
    rates = dict(RATES)
    for change in filter(None, (each.strip() for each in env.str("SPIELTISCH_RATES", "").split(","))):
        found = re.fullmatch(r"([a-z]+)=([0-9]{1,9})/([0-9]{1,9})", change)
        name = None if found is None else next((known for known in RATES if known == found[1]), None)
        if found is None or name is None:
            example = f"reads=3000/12000 (of a key / of an address), and the names are {', '.join(RATES)}"
            raise BadSettings(f"SPIELTISCH_RATES: {change[:40]} is no rate; one is {example}")
        per_key = None if rates[name].per_key is None else int(found[2])
        rates[name] = replace(rates[name], per_key=per_key, per_address=int(found[3]))
    return rates


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
