"""Reports as JSON, CSV and Markdown: names mean nothing but themselves in each."""

from __future__ import annotations

import csv
import io
import json

from spieltisch_service.reports.text import (
    as_json,
    crosstable_csv,
    crosstable_markdown,
    leaderboard_csv,
    leaderboard_markdown,
    markdown,
    standings_csv,
    standings_markdown,
)
from spieltisch_service.reports.wording import narrowed
from tests.reports.reported import ADA, content


def test_json_is_the_content() -> None:
    assert json.loads(as_json(content())) == content()


def test_a_line_of_csv_for_each_entrant() -> None:
    ada, bob = csv.DictReader(io.StringIO(standings_csv(content())))
    assert (ada["rank"], ada["name"], ada["points"], ada["wins"], ada["score"]) == ("1", ADA, "1.0", "2", "1.0")
    assert (ada["decisions"], ada["mean_ms"], ada["longest_ms"], ada["faults"]) == ("3", "2.0", "3.0", "0")
    # A spreadsheet would compute it otherwise.
    assert (bob["name"], bob["faults"]) == ("'=1+1", "1")


def test_a_line_of_csv_for_each_two_that_have_met() -> None:
    lines = list(csv.reader(io.StringIO(crosstable_csv(content(ranks=((1, 2), (1, 1)))))))
    assert lines == [
        ["entrant", "against", "matches", "won", "tied", "lost"],
        ["ada", "bob", "2", "1", "1", "0"],
        ["bob", "ada", "2", "0", "1", "1"],
    ]


def test_markdown_has_everything_on_lines_of_tables() -> None:
    text = markdown(content(name="Cup\n# of names"))
    assert text.startswith("# Cup \\# of names\n")
    assert "| 1 | &lt;b&gt;Ada&lt;/b&gt; &amp; \\[co\\](x)\\|\\* | 1 | 1 | 2 | 2 |" in text
    assert "- =1+1: resigned 1×" in text
    assert "- bob 2×, first in to.1.1.1: &lt;script&gt;alert('x')&lt;/script&gt;" in text
    assert "- Seed: secret seed" in text
    assert "<script" not in text


def test_the_tables_of_the_report_come_alone_too() -> None:
    found = content()
    for alone in (standings_markdown(found), crosstable_markdown(found)):
        assert alone in markdown(found)
        assert {line[0] for line in alone.splitlines()} == {"|"}


def test_a_leaderboard_is_a_table_in_which_names_mean_nothing_but_themselves() -> None:
    line = {"rank": 1, "entrant": "ac_1", "rating": 1612.5, "deviation": 50.25, "low": 1514.01, "high": 1710.99}
    found = {"ratings": [{**line, "name": "=1+1|", "matches": 7}, {**line, "rank": 2, "name": None, "matches": 1}]}
    assert leaderboard_csv(found).splitlines() == [
        "rank,entrant,name,rating,low,high,deviation,matches",
        "1,ac_1,'=1+1|,1612.5,1514.01,1710.99,50.25,7",
        "2,ac_1,,1612.5,1514.01,1710.99,50.25,1",
    ]
    assert leaderboard_markdown(found).splitlines() == [
        "|  | entrant | rating (95 %) | matches |",
        "| --- | --- | --- | --- |",
        "| 1 | =1+1\\| | 1,612 (1,514 to 1,711) | 7 |",
        "| 2 | ac\\_1 | 1,612 (1,514 to 1,711) | 1 |",
    ]


def test_what_sharing_deals_has_brought_is_said_in_words() -> None:
    # Each deal is won from the first seat: sharing them takes all the luck away.
    found = content(ranks=((1, 2), (1, 2), (2, 1), (2, 1)))
    assert found["statistics"]["narrowing"] == 0
    assert (narrowed(found) or "").startswith(
        "Sharing deals has made the intervals 100 % narrower than those of as many"
    )
    wider = content(ranks=((1, 2), (2, 1), (2, 1), (1, 2)))
    assert "% wider than those of as many" in (narrowed(wider) or "")
    assert narrowed(content(ranks=((1, 2),), finished=False)) is None
