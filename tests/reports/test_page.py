"""The page: whole in itself, well-formed, every name escaped, and its plots where their numbers are."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from spieltisch_service.domain.tournament.fold import fold
from spieltisch_service.domain.tournament.log import Created, Entered
from spieltisch_service.domain.tournament.setup import TournamentSetup
from spieltisch_service.reports import plots
from spieltisch_service.reports.content import report
from spieltisch_service.reports.page import html
from tests.reports.reported import ADA, content

_VOID = {"meta", "br", "link", "img", "input", "hr"}


class _Read(HTMLParser):
    """The page's elements and text; each element is closed where it was opened."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def page() -> str:
    return html(content(ranks=((1, 2), (1, 2), (2, 1), (2, 1))))


def test_it_needs_nothing_beside_it(page: str) -> None:
    read = _Read(page)
    assert {tag for tag, _ in read.elements} & {"script", "link", "img", "iframe", "object", "form", "base"} == set()
    names = {name for _, attributes in read.elements for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("src", "href", "srcset", "action")}
    assert re.search(r"url\(|@import|https?:", page) is None


def test_it_is_for_phones_and_for_the_dark(page: str) -> None:
    viewports = [each for tag, each in _Read(page).elements if tag == "meta" and each.get("name") == "viewport"]
    assert viewports == [{"name": "viewport", "content": "width=device-width, initial-scale=1"}]
    assert "@media (prefers-color-scheme: dark)" in page
    # Whatever is wide scrolls by itself.
    assert page.count("<table") == page.count('<div class="scroll"><table')


def test_names_are_only_names(page: str) -> None:
    read = _Read(page)
    text = " ".join(read.text)
    assert ADA in text
    assert "<script>alert('x')</script>" in text
    assert ("b", {}) not in [each for each in read.elements if each[1] == {"id": "x"}]
    assert "<b>Ada" not in page
    assert "<script" not in page


def test_it_says_what_was_played_and_how_to_compute_it_again(page: str) -> None:
    text = " ".join(" ".join(_Read(page).text).split())
    for said in ("Game neues-land", "round robin, 1 rounds, 2 seats a match", "Matches 4 played", "Seed secret seed"):
        assert said in text
    assert "spieltisch recompute export.ndjson" in text
    headings = ["Standings", "Ratings", "Mean score of a match", "Crosstable", "Seats: 4 matches of 2"]
    headings += ["Time of a decision", "What sharing deals has brought", "Faults", "How to compute this again"]
    assert re.findall(r"<h2>(.*?)</h2>", page) == headings


def test_the_plots_are_well_formed_and_hold_the_numbers(page: str) -> None:
    drawn = re.findall(r"<svg.*?</svg>", page, re.S)
    titles = [ElementTree.fromstring(each).findtext("title") for each in drawn]
    assert titles == [
        "Ratings with their 95 % intervals",
        "Mean score of a match with its 95 % interval",
        "Mean score by seat, 2 seats",
        "Points of the game by seat, 2 seats",
        "Time of a decision: the mean, and the longest",
        "Width of each interval beside one over independent matches",
    ]
    # Each won every other match from each seat: the mean is in the middle.
    scores = ElementTree.fromstring(drawn[1])
    assert [circle.get("cx") for circle in scores.iter("circle")] == ["50.0%", "50.0%"]
    assert scores.find("line[@class='mark']") is not None


def test_the_heat_map_says_who_beats_whom() -> None:
    page = html(content(ranks=((1, 2), (1, 1))))
    # Ada won one of two and tied the other: three quarters.
    assert 'class="good" style="--depth:0.35" title="' in page
    assert ">.75</td>" in page
    assert 'class="bad" style="--depth:0.35" title="=1+1 against' in page
    assert ">.25</td>" in page


def test_before_anything_was_played_there_is_a_page_all_the_same() -> None:
    setup = TournamentSetup("wunderland", "swiss", "s", name="Soon", seats=3)
    page = html(report(fold([Created("to", setup), Entered("ada", "Ada")]), []))
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Standings", "Crosstable", "How to compute this again"]
    assert "none yet" in page


# --- axes -----------------------------------------------------------------------------------------------------


def test_a_linear_axis_has_round_ticks_around_its_values() -> None:
    axis = plots.linear([1130.0, 1870.0])
    assert [label for _, label in axis.ticks] == ["1,000", "1,200", "1,400", "1,600", "1,800", "2,000"]
    assert (axis.share(1000), axis.share(1500), axis.share(2000), axis.share(9999)) == (0, 50, 100, 100)
    assert [label for _, label in plots.linear([0.9, 1.13], mark=1.0).ticks] == ["0.9", "1.0", "1.1", "1.2"]
    assert plots.linear([3.0]).share(3.0) == 50


def test_an_axis_of_times_is_logarithmic() -> None:
    axis = plots.decades([0.05, 2000.0])
    assert [label for _, label in axis.ticks] == ["10 µs", "1 ms", "100 ms", "10 s"]
    assert (axis.share(0.01), axis.share(10_000)) == (0, 100)
    assert axis.share(10) == 50
    assert plots.decades([0.0]).share(0.0) == 0
