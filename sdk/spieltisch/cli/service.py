"""Which service, and who asks: the options that most commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from spieltisch._attempts import Attempt
from spieltisch.cli.screen import Screen
from spieltisch.client import Client

DEFAULT_URL = "http://127.0.0.1:8000"


def command(commands: Any, name: str, text: str, run: Callable[[argparse.Namespace, Screen], int]) -> Any:
    """The parser of one command."""
    made = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    made.set_defaults(run=run)
    made.add_argument("--plain", action="store_true", help="no colours and no layout, as without rich")
    return made


def add_service(parser: Any) -> None:
    """`--url`, `--key` and `--register`."""
    where = parser.add_argument_group("service")
    where.add_argument("--url", help=f"where it is (default: SPIELTISCH_URL, or {DEFAULT_URL}); local: needs none")
    where.add_argument("--key", help="API key or seat token (better: SPIELTISCH_KEY, which no list of processes shows)")
    where.add_argument("--register", metavar="NAME", help="make an account with this name, and show its key")
    where.add_argument("--insecure", action="store_true", help="allow plain http to another machine")


def connect(
    given: argparse.Namespace,
    screen: Screen,
    *,
    otherwise: str | None = None,
    on_request: Callable[[Attempt], None] | None = None,
) -> Client:
    """The client that the options and the environment describe.

    otherwise: the name to register where there is no key.
    """
    url = given.url or os.environ.get("SPIELTISCH_URL") or DEFAULT_URL
    key = given.key or os.environ.get("SPIELTISCH_KEY") or None
    client = Client(url, key, allow_insecure=given.insecure, on_request=on_request)
    name = given.register or (otherwise if key is None else None)
    if name is None:
        return client
    client = Client(url, allow_insecure=given.insecure, on_request=on_request).register(name)
    if url != "local:":
        screen.aside(f"You are {name}. To be so again (the key cannot be recovered):")
        screen.aside(f"  export SPIELTISCH_KEY={client.key}")
    return client
