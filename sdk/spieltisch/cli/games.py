"""`spieltisch games`: what can be played."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import add_service, command, connect
from spieltisch.models import Game


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "games", "list the games, show one with its options, or read its rules", run)
    parser.add_argument("what", nargs="?", choices=("list", "show", "rules"), default="list")
    parser.add_argument("game", nargs="?", help="of show and rules: the id of a game")
    parser.add_argument("--lang", choices=("en", "de"), default="en", help="language (default: en)")
    add_service(parser)


def run(given: argparse.Namespace, screen: Screen) -> int:
    """List, show or read."""
    if given.what != "list" and given.game is None:
        raise ValueError(f"games {given.what} needs the id of a game")
    client = connect(given, screen)
    if given.what == "rules":
        screen.markdown(client.games.rules(given.game, lang=given.lang))
    elif given.what == "show":
        _show(client.games.get(given.game), given.lang, screen)
    else:
        rows = [(game.id, _name(game, given.lang), _players(game), game.rules_version) for game in client.games.list()]
        screen.table(("game", "name", "players", "rules"), rows)
    return codes.DONE


def _show(game: Game, lang: str, screen: Screen) -> None:
    screen.heading(f"{_name(game, lang)} ({game.id}), {_players(game)} players, rules {game.rules_version}")
    screen.line(f"phases: {', '.join(game.phases)}")
    screen.heading("Options")
    options = game.options.get("properties", {}).items()
    screen.table(
        ("option", "values", "default", ""),
        [(name, _values(each), _said(each.get("default")), str(each.get("description", ""))) for name, each in options],
    )
    actions = game.extra.get("actions")
    if isinstance(actions, Mapping):
        screen.heading("Actions")
        screen.table(("type", ""), [(name, str(each.get("description", ""))) for name, each in actions.items()])


def _name(game: Game, lang: str) -> str:
    return game.name.get(lang) or game.id


def _players(game: Game) -> str:
    return f"{game.players['min']} to {game.players['max']}"


def _values(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"] if value is not None)
    kinds = schema.get("type", "")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    bounds = f" {schema['minimum']} to {schema['maximum']}" if "minimum" in schema and "maximum" in schema else ""
    return ", ".join(kind for kind in kinds if kind != "null") + bounds


def _said(value: Any) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
