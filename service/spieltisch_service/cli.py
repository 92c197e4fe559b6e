"""The command line of the service: serve, write the specification, verify a record."""

from __future__ import annotations

import json
import os
import sys
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
@click.option("--allow-unsafe-store", is_flag=True, default=None, help="Serve on a store that may lose data.")
def serve(
    host: str | None,
    port: str | None,
    data: str | None,
    workers: str | None,
    durability: str | None,
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
    from spieltisch_service.domain.verify import verify as verify_record

    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        record = json.loads(text)
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


if __name__ == "__main__":
    main()
