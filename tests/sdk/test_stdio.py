"""Programs as bots: the protocol of sdk/STDIO.md, from both sides, by Python, a shell and JavaScript."""

import io
import json
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spieltisch.bot import BotTurn, bot
from spieltisch.bot.__main__ import main
from spieltisch.bot.bulk import Bulk, House, Setup
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.programs import Program, as_arguments
from spieltisch.bot.stdio import speak
from spieltisch.bot.tally import Played
from tests.serving import until

SDK = Path(__file__).parents[2] / "sdk"
NODE_BOT = SDK / "examples" / "stdio_bot.mjs"
FIRST_LEGAL = SDK / "examples" / "first_legal.py"
GAMES: list[tuple[str, dict[str, Any]]] = [("neues-land", {}), ("wunderland", {"round_limit": 4})]


def played_by(player: Any, folder: Path, game: str = "neues-land", options: Mapping[str, Any] | None = None) -> Played:
    played = Bulk(
        Setup(game, 2, options or {"round_limit": 2} if game == "wunderland" else {}, "s", folder),
        player,
        [House("random")],
    ).play(0)
    assert played is not None
    return played


# --- programs of several languages --------------------------------------------------------------------------


def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not at hand: no bot in JavaScript was played with")
    return found


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_a_bot_in_javascript_plays_here(game: str, options: Any, capsys: pytest.CaptureFixture[str]) -> None:
    node()
    about = ["--game", game, "--options", json.dumps(options), "--seed", "7", "--json"]
    assert main(["run", str(NODE_BOT), "-n", "4", *about]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["matches"], summary["errors"]) == (4, 0)
    # The same seed, the same matches: its chance comes from the seed that it is told.
    assert main(["run", str(NODE_BOT), "-n", "4", *about]) == 0
    again = json.loads(capsys.readouterr().out)
    assert {name: again[name] for name in ("points", "ahead", "wins")} == {
        name: summary[name] for name in ("points", "ahead", "wins")
    }


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_a_bot_in_javascript_plays_on_a_service(
    game: str, options: Any, live_server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    node()
    about = ["--game", game, "--options", json.dumps(options), "--key-file", str(tmp_path / "key"), "--json"]
    assert main(["run", str(NODE_BOT), "--url", live_server, "-n", "2", "--concurrency", "2", *about]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["matches"], summary["errors"]) == (2, 0)


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (SDK / "STDIO.md").read_text("utf-8")
    shown = re.search(r"^```js\n(.*?)^```$", page, re.M | re.S)
    assert shown is not None
    code = NODE_BOT.read_text("utf-8")
    assert code.endswith(shown[1])
    # All that is left out is the comment at its top.
    assert all(line.startswith("//") or not line for line in code.removesuffix(shown[1]).splitlines())


def test_a_python_bot_is_a_program_like_any_other(tmp_path: Path) -> None:
    program = Program(f"{sys.executable} {FIRST_LEGAL} --stdio")

    @bot
    def same(turn: BotTurn) -> Mapping[str, Any]:
        return turn.rng.choice(turn.legal_actions)

    hosted = played_by(program, tmp_path)
    program.close()
    assert hosted.failure is None
    assert program.name == "first_legal"
    direct = played_by(same, tmp_path)
    assert hosted.scores == direct.scores
    assert hosted.decisions == direct.decisions


def test_a_shell_script_is_a_bot(tmp_path: Path) -> None:
    script = tmp_path / "last.sh"
    # The first legal action: what stands in the first braces behind `legal_actions`.
    script.write_text(
        textwrap.dedent(r"""
            while read -r line; do
                case "$line" in
                *'"type": "hello"'*) echo '{"type": "hello", "name": "shell", "protocol": 1}' ;;
                *'"type": "decide"'*)
                    id=$(printf '%s' "$line" | sed 's/.*"id": \([0-9]*\),.*/\1/')
                    action=$(printf '%s' "$line" | sed 's/.*"legal_actions": \[\({[^}]*}\).*/\1/')
                    printf '{"type": "action", "id": %s, "action": %s, "protocol": 1}\n' "$id" "$action" ;;
                esac
            done
        """)
    )
    for game in ("neues-land", "wunderland"):
        program = Program(str(script))
        played = played_by(program, tmp_path, game)
        program.close()
        assert played.failure is None
        assert program.name == "shell"


# --- what goes wrong ----------------------------------------------------------------------------------------

SCRIPT = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    def say(**answer):
        print(json.dumps({"protocol": 1, **answer}), flush=True)
    if message["type"] == "hello":
        say(type="hello", name="odd", games=GAMES)
    if message["type"] == "decide":
        id, legal = message["id"], message["view"]["legal_actions"]
        if message["view"]["version"] < 20:
            say(type="action", id=id, action=legal[0])
        else:
            ANSWER
    if message["type"] == "end":
        open(FILE, "a").write(line)
"""


class HurriedAtTheEnd(Program):
    """A program that has a minute for the decisions of before, however busy this machine is, and then no time."""

    def decide(self, turn: BotTurn) -> Mapping[str, Any]:
        self._decision_s = 60.0 if turn.version < 20 else 0.5
        return super().decide(turn)


def odd(tmp_path: Path, answer: str, games: Any = None, kind: type[Program] = Program) -> Program:
    path = tmp_path / "odd.py"
    code = SCRIPT.replace("ANSWER", answer).replace("GAMES", repr(games)).replace("FILE", repr(str(tmp_path / "ends")))
    path.write_text(code)
    return kind(str(path))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("time.sleep(600)", "odd did not answer within 0.5 s"),
        ("sys.exit(3)", "odd ended with exit code 3"),
        ("print('thinking ...', flush=True)", "something else than a JSON object: b'thinking ...\\n'"),
        ("print('x' * 2_000_000, flush=True)", "more than 1048576 bytes in one line"),
        ("say(type='action', id=id + 1, action=legal[0])", "answered decision"),
        ("say(type='action', id=id)", "something else than an action"),
        ("say(type='error', id=id, message='no idea')", "odd: no idea"),
        ("say(type='action', id=id, action={'type': 'jump'})", "is refused: type:"),
    ],
)
def test_a_program_that_fails_loses_one_match_and_no_more(tmp_path: Path, answer: str, said: str) -> None:
    program = odd(tmp_path, answer, kind=HurriedAtTheEnd if "sleep" in answer else Program)
    first = played_by(program, tmp_path)
    assert said in str(first.failure)
    # The next match finds it at work again.
    second = played_by(program, tmp_path)
    program.close()
    assert said in str(second.failure)
    assert second.decisions == first.decisions > 5


def test_a_program_hears_of_the_end(tmp_path: Path) -> None:
    program = odd(tmp_path, "say(type='action', id=id, action=legal[-1])")
    played = played_by(program, tmp_path)
    # Who is slow to write down what it heard is ended by the close.
    ends = tmp_path / "ends"
    until(lambda: ends.exists() and ends.read_text().endswith("\n"), "what it heard")
    program.close()
    assert played.failure is None
    [end] = [json.loads(line) for line in ends.read_text().splitlines()]
    assert end["seat"] == 0
    assert end["result"] == {"scores": list(played.scores), "ranks": list(played.ranks), "end_reason": "completed"}


def test_a_program_is_asked_for_its_games_only(tmp_path: Path) -> None:
    program = odd(tmp_path, "pass", games=["wunderland"])
    assert "odd plays wunderland, not neues-land" in str(played_by(program, tmp_path).failure)
    program.close()


def test_what_is_no_bot_is_not_waited_for(tmp_path: Path) -> None:
    silent = Program("true")
    assert "ended with exit code 0" in str(played_by(silent, tmp_path).failure)
    with pytest.raises(ValueError, match="there is no program 'no-such-program'"):
        Program("no-such-program")
    with pytest.raises(ValueError, match="without a name"):
        as_arguments("")
    unknown = tmp_path / "bot.xyz"
    unknown.write_text("")
    with pytest.raises(ValueError, match="nothing is known that runs it"):
        as_arguments(str(unknown))


# --- the bot's side -----------------------------------------------------------------------------------------


@bot(game="wunderland", name="printing", version="3")
def printing(turn: BotTurn) -> Mapping[str, Any]:
    print("thinking")
    if turn.remaining_ms is not None:
        raise RuntimeError("no time")
    return turn.legal_actions[0]


def spoken(*messages: Any) -> tuple[int, list[Any]]:
    asked = io.BytesIO(b"".join(m if isinstance(m, bytes) else json.dumps(m).encode() + b"\n" for m in messages))
    answers = io.BytesIO()
    code = speak(printing, asked, answers)
    return code, [json.loads(line) for line in answers.getvalue().splitlines()]


def test_what_a_bot_answers(capsys: pytest.CaptureFixture[str]) -> None:
    hello = {"type": "hello", "protocol": 1}
    decide = {
        "type": "decide",
        "id": 4,
        "match": "mt_1",
        "game": "wunderland",
        "options": {},
        "seat": 1,
        "seed": "s/0/1",
        "remaining_ms": None,
        "view": {
            **{"match": "mt_1", "game": "wunderland", "version": 7, "status": "running", "seat": 1, "to_act": 1},
            **{"phase": "turn", "scores": [0, 0], "state": {}, "legal_actions": [{"type": "end_turn"}], "result": None},
        },
    }
    late = {**decide, "id": 5, "remaining_ms": 10}
    end = {"type": "end", "match": "mt_1", "seat": 1, "result": None}
    code, answers = spoken(hello, b"\n", decide, late, end, {"type": "news"})
    assert code == 0
    assert answers[0] == {"type": "hello", "name": "printing", "games": ["wunderland"], "version": "3", "protocol": 1}
    assert answers[1] == {"type": "action", "id": 4, "action": {"type": "end_turn"}, "protocol": 1}
    assert (answers[2]["type"], answers[2]["id"]) == ("error", 5)
    assert answers[2]["message"].startswith("RuntimeError: no time")
    assert len(answers) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("thinking") == 2


@pytest.mark.parametrize("message", [b"nonsense\n", b"[]\n", {"protocol": 1}, {"type": "hello", "protocol": 2}])
def test_what_a_bot_does_not_understand_it_says(message: Any) -> None:
    code, [answer] = spoken(message, {"type": "hello", "protocol": 1})
    assert code == 1
    assert answer["type"] == "error"


def test_the_module_tells_how_it_is_used() -> None:
    command = [sys.executable, "-m", "spieltisch.bot"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "usage: python -m spieltisch.bot run PROGRAM" in done.stderr
    helped = subprocess.run(
        [*command, "run", "random", "--help"], capture_output=True, text=True, check=True, timeout=60
    )
    assert "--concurrency" in helped.stdout
    assert main(["run", "no-such.mjs"]) == 2


def test_an_echo_is_no_bot() -> None:
    program = Program("cat")
    with pytest.raises(BotFailed, match="something else than an action"):
        program.decide(BotTurn("neues-land", {}, "mt_1", 0, 2, seed="s", look=lambda: {"version": 2}))
    program.close()
