"""When a bot fails: a file with what it saw and the match so far, and how to play the failure again."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spieltisch.bot.player import BotTurn, Player

FORMAT = "spieltisch-crash/1"


class BotFailed(Exception):
    """A bot gave no action, or one that is not possible; the message says which.

    fault: `crash`, `timeout` or `illegal`.
    """

    def __init__(self, message: str, fault: str = "crash") -> None:
        super().__init__(message)
        self.fault = fault


def why(error: BaseException) -> str:
    """One line about what a bot failed of."""
    if isinstance(error, BotFailed):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def save(folder: Path, turn: BotTurn, bot: str, error: BaseException, told: Mapping[str, Any]) -> Path:
    """Write the file; `told` holds `decisions` (`{view, action}` of the seat, the failed one last) and `record`."""
    content = {
        "format": FORMAT,
        "bot": bot,
        "error": why(error),
        "traceback": traceback.format_exception(type(error), error, error.__traceback__),
        "game": turn.game,
        "options": dict(turn.options),
        "match": turn.match,
        "seat": turn.seat,
        "seed": turn.seed,
        **told,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"crash-{turn.match}-{turn.seat}-{turn.version}.json"
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return path


def replay(path: Path, player: Player) -> str:
    """Ask the bot again for every decision that led to the failure. What came of the last one, for people.

    Raises whatever the bot raises at the last decision, and ValueError where the file is not of this form.
    """
    content = json.loads(path.read_text("utf-8"))
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path} is no file of a failed bot ({FORMAT})")
    seed, _, seat = content["seed"].rpartition("/")
    *earlier, last = content["decisions"]

    def asked(view: Mapping[str, Any]) -> BotTurn:
        about = (content["game"], content["options"], content["match"], int(seat), view["version"])
        return BotTurn(*about, seed=seed, look=lambda: view)

    differing = []
    for decision in earlier:
        if dict(player.decide(asked(decision["view"]))) != decision["action"]:
            differing.append(decision["view"]["version"])
    turn = asked(last["view"])
    action = player.decide(turn)
    said = f"at version {turn.version} of {content['match']} the bot now answers {json.dumps(action)}"
    said += ", which is legal" if action in turn.legal_actions else ", which is not in the list of legal actions"
    if differing:
        said += f"; before that it decided otherwise than then at version {', '.join(map(str, differing))}"
    return said
