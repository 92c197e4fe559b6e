"""Reports as JSON, CSV and Markdown: names mean nothing but themselves in each."""

from __future__ import annotations

import csv
import io
import json

from spieltisch_service.reports.text import as_json, crosstable_csv, markdown, standings_csv
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
