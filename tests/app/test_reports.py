"""The report of a tournament on the service: at any time, with today's names, and the seed at the end alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest

from spieltisch_service.app import errors
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.service import Service
from spieltisch_service.reports import page as pages
from tests.app.cups import create, enter, play, start


def told(page: str) -> dict[str, str]:
    """The facts at the head of a page."""
    return {unescape(name): unescape(said) for name, said in re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", page)}


def body(page: str) -> str:
    return page.partition("<body>")[2]


def test_there_is_one_before_anybody_has_entered(service: Service, ada: Caller) -> None:
    page = pages.html(service.tournaments.report(create(service, ada, format="round_robin")))
    assert "<title>Cup</title>" in page
    facts = told(page)
    assert (facts["Status"], facts["Entrants"], facts["Matches"]) == ("open", "0", "none yet")
    assert "Seed" not in facts


def test_it_says_what_there_is_so_far_and_shows_the_seed_at_the_end(service: Service, ada: Caller, bob: Caller) -> None:
    tournament = create(service, ada, format="round_robin")
    enter(service, ada, tournament)
    enter(service, bob, tournament)
    start(service, ada, tournament)
    seed = service.book.fresh(tournament).seed
    service.director.look_after(tournament)
    running = pages.html(service.tournaments.report(tournament))
    facts = told(running)
    assert (facts["Status"], facts["Entrants"], facts["Matches"]) == ("running", "2", "1 to come")
    assert "Seed" not in facts
    assert seed not in running
    play(service, tournament, [ada, bob])
    ended = pages.html(service.tournaments.report(tournament))
    facts = told(ended)
    assert (facts["Entrants"], facts["Matches"], facts["Seed"]) == ("2", "1 played", seed)
    assert facts["Status"].startswith("finished")


def test_it_calls_people_as_they_are_called_now_and_who_was_erased_by_the_id(
    service: Service, register: Callable[[str], Caller]
) -> None:
    organizer, carla, dora = register("Organizer"), register("<b>Carla</b>"), register("Dora")
    assert carla.account is not None
    assert dora.account is not None
    tournament = create(service, organizer, format="round_robin")
    for caller in (carla, dora):
        enter(service, caller, tournament)
    enter(service, organizer, tournament, "random")
    page = body(pages.html(service.tournaments.report(tournament)))
    assert "&lt;b&gt;Carla&lt;/b&gt;" in page
    assert "<b>Carla" not in page
    assert "Dora" in page
    assert re.search(">random</t[dh]>", page) is not None
    assert ">bot:random<" not in page
    # From the start on, who leaves stays in the tables.
    start(service, organizer, tournament)
    service.accounts.erase(dora)
    page = body(pages.html(service.tournaments.report(tournament)))
    assert "Dora" not in page
    assert dora.account.id in page


def test_there_is_none_of_what_does_not_exist(service: Service) -> None:
    with pytest.raises(errors.NotFound):
        service.tournaments.report("tn_" + "0" * 32)
