"""The command line of the service: serve, write the specification, verify a record, back up and restore."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="spieltisch-service")
def main() -> None:
    """Spieltisch: hosts matches of board games for programs."""


@main.command()
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--port", help="Port to listen on; 0 takes any free one.  [default: 8000]")
@click.option("--data", metavar="DIR", help="Folder of the service's own store, not used with REDIS_URL.")
@click.option("--workers", help="Server processes.  [default: 2]")
@click.option("--durability", metavar="LEVEL", help="fsync: each answer is on the disk; fast: once a second.")
@click.option("--limits", metavar="SWITCH", help="on, off or auto: on unless only this machine can reach the service.")
@click.option("--trusted-proxies", metavar="N", help="Proxies before it that add to X-Forwarded-For.  [default: 0]")
@click.option("--allow-unsafe-store", is_flag=True, default=None, help="Serve on a store that may lose data.")
def serve(
    host: str | None,
    port: str | None,
    data: str | None,
    workers: str | None,
    durability: str | None,
    limits: str | None,
    trusted_proxies: str | None,
    allow_unsafe_store: bool | None,
) -> None:
    """Start the service, and its own store unless REDIS_URL names one. Ctrl-C stops both."""
    # Loaded late, here and below: what is slow to import must not hold up a Ctrl-C, nor a command without need of it.
    from spieltisch_service.settings import BadSettings, Settings
    from spieltisch_service.supervisor import serve_until_stopped

    # An option is its variable: one place says what is valid, and the processes started from here see it too.
    for name, value in {
        "SPIELTISCH_HOST": host,
        "SPIELTISCH_PORT": port,
        "SPIELTISCH_DATA_DIR": data,
        "SPIELTISCH_WORKERS": workers,
        "SPIELTISCH_DURABILITY": durability,
        "SPIELTISCH_LIMITS": limits,
        "SPIELTISCH_TRUSTED_PROXIES": trusted_proxies,
        "SPIELTISCH_ALLOW_UNSAFE_STORE": "true" if allow_unsafe_store else None,
    }.items():
        if value is not None:
            os.environ[name] = value
    try:
        settings = Settings.from_environment()
    except BadSettings as error:
        click.echo(f"spieltisch-service: {error}", err=True)
        sys.exit(2)
    sys.exit(serve_until_stopped(settings))


@main.command()
@click.option("--examples", is_flag=True, help="Play and record the examples, too.")
@click.option("--check", is_flag=True, help="Write nothing; fail where a file is not up to date.")
def spec(examples: bool, check: bool) -> None:
    """Write openapi/openapi.json anew."""
    from spieltisch_service.web import spec as room

    chosen = [name for name, wanted in (("--examples", examples), ("--check", check)) if wanted]
    sys.exit(room.main(chosen))


@main.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
def verify(file: Path) -> None:
    """Verify the record of a match, offline: chain, commitment, deal, legality, scores and result."""
    from spieltisch_service.domain.errors import InvalidRecord
    from spieltisch_service.domain.events import no_number
    from spieltisch_service.domain.verify import verify as verify_record

    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        record = json.loads(text, parse_constant=no_number)
    except (OSError, ValueError, RecursionError) as error:
        click.echo(f"{file}: cannot be read as JSON: {error}", err=True)
        sys.exit(1)
    if not isinstance(record, dict):
        click.echo(f"{file}: is no record: a JSON object is expected", err=True)
        sys.exit(1)
    try:
        verify_record(record)
    except InvalidRecord as error:
        click.echo(f"{file}: INVALID", err=True)
        for problem in error.problems:
            click.echo(f"  {problem}", err=True)
        sys.exit(1)
    click.echo(f"{file}: valid ({record.get('game')}, match {record.get('match')}, version {record.get('version')})")


@main.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--data", metavar="DIR", help="Folder of the service's own store, not used with REDIS_URL.")
def backup(file: Path, data: str | None) -> None:
    """Write all that the store holds to FILE, while the service runs or not.

    FILE holds the hidden deals of running matches: keep it where nobody else reads it. It does not hold the server
    secret, without which no key and no token is valid any more: keep that, too.
    """
    from spieltisch_service.app.backup import back_up
    from spieltisch_service.domain.events import instant
    from spieltisch_service.settings import named_store
    from spieltisch_service.store.connection import open_vault
    from spieltisch_service.store.embedded import store_in

    with _one_line_for_failures():
        _name_data_folder(data)
        url, data_dir = named_store()
        fresh = file.with_name(f"{file.name}.part")
        with store_in(data_dir) if url is None else nullcontext(url) as found, closing(open_vault(found)) as vault:
            try:
                with open(fresh, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
                    counts = back_up(vault, out, version("spieltisch-service"), instant(time.time_ns() // 1_000_000))
                    out.flush()
                    os.fsync(out.fileno())
                # Only now: a backup that is cut short must not replace a whole one.
                fresh.replace(file)
            finally:
                fresh.unlink(missing_ok=True)
    click.echo(f"{file}: {counts}")


@main.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--data", metavar="DIR", help="Folder of the service's own store, not used with REDIS_URL.")
@click.option("--check", is_flag=True, help="Prove the file and write nothing.")
def restore(file: Path, data: str | None, check: bool) -> None:
    """Prove all of FILE, then write it into an empty store. The service must not run meanwhile."""
    from spieltisch_service.app import backup as room
    from spieltisch_service.settings import Settings
    from spieltisch_service.store.connection import open_vault
    from spieltisch_service.store.embedded import EmbeddedStore

    with _one_line_for_failures(), file.open("rb") as archive:
        # Before anything is made or started.
        contents = room.check(archive)
        if check:
            click.echo(f"{file}: whole ({contents.counts})")
            return
        _name_data_folder(data)
        settings = Settings.from_environment()
        with ExitStack() as stack:
            url = settings.redis_url
            if url is None:
                store = EmbeddedStore(settings.data_dir, settings.durability)
                store.start()
                stack.callback(store.stop)
                url = store.url
            vault = stack.enter_context(closing(open_vault(url)))
            done = room.restore(archive, contents, vault, settings.secret.encode())
    again = ", where an earlier attempt had stopped" if done.resumed else ""
    click.echo(f"{file}: restored {done.counts}{again}")
    if done.foreign_keys:
        click.echo(
            f"spieltisch-service: {done.foreign_keys} of {done.counts.accounts} accounts have keys that were made "
            "under another server secret: no key and no token of theirs is valid until that secret is back "
            "(SPIELTISCH_SECRET, or the file `secret` in the data folder)",
            err=True,
        )


def _name_data_folder(data: str | None) -> None:
    if data is not None:
        os.environ["SPIELTISCH_DATA_DIR"] = data


@contextmanager
def _one_line_for_failures() -> Iterator[None]:
    """What an operator can do something about ends the command with one line and code 1, or 2 for wrong settings."""
    from spieltisch_service.app.archive import BadArchive
    from spieltisch_service.app.holdings import NotEmpty
    from spieltisch_service.app.ports import StoreUnavailable
    from spieltisch_service.settings import BadSettings
    from spieltisch_service.store.embedded import StoreNotStarted

    try:
        yield
    except BadSettings as error:
        click.echo(f"spieltisch-service: {error}", err=True)
        sys.exit(2)
    except (BadArchive, NotEmpty, StoreNotStarted, StoreUnavailable, OSError) as error:
        click.echo(f"spieltisch-service: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
