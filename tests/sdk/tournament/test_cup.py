"""Cup files: what is read, and that what is wrong is named with its line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from spieltisch.tournament.cup import BadCup, read_cup
from spieltisch.tournament.plan import plan
from tests.sdk.tournament.cups import QUICK, entrants, write_bot, write_cup

FINE = QUICK + entrants()


def test_a_cup_is_read(tmp_path: Path) -> None:
    write_bot(tmp_path, "fine")
    tail = (
        '\n[policy]\non_fault = "default"\ndecision_ms = 50\n\n[[entrants]]\nbot = "bot:greedy"\n'
        '\n[[entrants]]\nname = "Ada\'s own"\nfile = "fine.py"\nseeding = 7\n\n[[entrants]]\ncommand = "sh third.sh"\n'
    )
    (tmp_path / "third.sh").write_text("exit 1\n")
    cup = read_cup(write_cup(tmp_path, tail=tail))
    assert [(one.id, one.name, one.kind, one.seeding) for one in cup.entrants] == [
        ("greedy", "greedy", "house", None),
        ("Ada-s-own", "Ada's own", "bot", 7),
        ("third", "third", "program", None),
    ]
    assert (cup.policy.on_fault, cup.policy.decision_ms, cup.policy.remove_after) == ("default", 50, None)
    assert cup.output == tmp_path / "cup"
    assert cup.setup["options"] == {"round_limit": 2}
    # The files that bots are made of are part of what is played.
    assert [one.content is not None for one in cup.entrants] == [False, True, True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("game = neues", "cup.toml: this is no TOML: Invalid value (at line 1, column 8)"),
        (FINE.replace('game = "wunderland"\n', ""), "cup.toml: game: a cup needs this key"),
        (FINE.replace("wunderland", "chess"), "cup.toml:1: game: game is one of"),
        (FINE.replace("round_robin", "knockout"), "cup.toml:2: format: format is one of"),
        (FINE.replace("deals = 2", "deals = 0"), "cup.toml:4: deals: deals is a number from 1"),
        (FINE.replace("deals = 2", 'deals = "2"'), "cup.toml:4: deals: deals is a whole number, not '2'"),
        (FINE.replace("true", "1"), "cup.toml:5: duplicate: duplicate is true or false, not 1"),
        (FINE.replace("deals = 2", "deal = 2"), "cup.toml:4: deal: there is no such key; there are name, game"),
        (FINE.replace("round_limit = 2", "round_limit = 0"), "cup.toml:6: options: options of wunderland: round_limit"),
        ('champion = "Eve"\n' + FINE, "cup.toml:1: champion: only a gauntlet has a champion"),
        (
            'forbidden = [["random-0", "Eve"]]\n' + FINE,
            "cup.toml:1: forbidden: 'Eve' is no entrant; there are greedy-1, random-0, random-2",
        ),
        (QUICK, "cup.toml: entrants: a cup needs this key"),
        (QUICK + entrants(["random"]), "cup.toml:8: entrants: there are 1, and it takes two"),
        (QUICK + '\n[[entrants]]\nbot = "random"\n' * 2, "cup.toml:11: entrants[1]: 'random' has entered already"),
        (
            FINE + '\n[[entrants]]\nbot = "genius"\n',
            "cup.toml:21: entrants[3].bot: there is no house bot 'genius'",
        ),
        (FINE + '\n[[entrants]]\nfile = "no.py"\n', "cup.toml:21: entrants[3].file: there is no Python file"),
        (FINE + '\n[[entrants]]\ncommand = "no-such x"\n', "cup.toml:21: entrants[3].command: there is no program"),
        (FINE + '\n[[entrants]]\nname = "x"\n', "cup.toml:20: entrants[3]: an entrant has one of bot"),
        (FINE + '\n[[entrants]]\nbot = "random"\nelo = 3\n', "cup.toml:22: entrants[3].elo: an entrant has name, bot"),
        (FINE + "\n[policy]\ndecision_ms = 0\n", "cup.toml:21: policy.decision_ms: a number from 1 to 86400000 is"),
        (FINE + '\n[policy]\non_fault = "x"\n', "cup.toml:21: policy.on_fault: forfeit or default is expected"),
        (FINE + "\n[policy]\nlimit = 1\n", "cup.toml:21: policy.limit: a policy has on_fault, decision_ms"),
    ],
)
def test_what_is_wrong_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    with pytest.raises(BadCup) as refused:
        read_cup(path)
    assert str(refused.value).startswith(f"{tmp_path}/{said}")


def test_a_plan_counts_rounds_matches_and_seats(tmp_path: Path) -> None:
    # Three entrants: three rounds in which one sits out; two deals in both seat orders make four matches a table.
    found = plan(read_cup(write_cup(tmp_path)))
    assert (found.rounds, found.tables, found.matches) == (3, {2: 3}, 12)
    assert found.seats == {"random-0": [4, 4], "greedy-1": [4, 4], "random-2": [4, 4]}
    assert found.sitting_out == {"random-0": 1, "greedy-1": 1, "random-2": 1}
    assert list(tmp_path.iterdir()) == [tmp_path / "cup.toml"]


def test_a_cup_in_which_nobody_may_meet_is_refused(tmp_path: Path) -> None:
    path = write_cup(tmp_path, f'forbidden = [["random-0", "greedy-1"]]\n{QUICK}', entrants(["random", "greedy"]))
    with pytest.raises(BadCup, match=r"cup\.toml:1: forbidden: nobody may meet any other one"):
        read_cup(path)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(BadCup, match=r"cup\.toml: this is no text in UTF-8: invalid start byte at byte 8"):
        read_cup(tmp_path / "cup.toml")
