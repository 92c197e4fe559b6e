"""Tournaments as answers have them. These document."""

from __future__ import annotations

from spieltisch_service.app.tournaments.reading import STATUSES
from spieltisch_service.domain.tournament import setup as setups
from spieltisch_service.domain.tournament.export import RESULTS
from spieltisch_service.domain.tournament.ratings import CLOCK_CLASSES
from spieltisch_service.web.schemas.clocks import ClockSchema
from spieltisch_service.web.schemas.fields import (
    AnswerShape,
    Documented,
    Inner,
    OneOf,
    Several,
    Text,
    Whole,
)
from spieltisch_service.web.schemas.shapes import (
    OPTIONS,
    any_of,
    anything,
    choice,
    digest,
    flag,
    identity,
    instant,
    listed,
    number,
    text,
)


class EntrantShape(AnswerShape):
    """Somebody who takes part."""

    entrant = text("The account's id, or `bot:NAME`.")
    name = text("How it is called; null once erased.", allow_none=True)
    kind = choice("Who plays.", ("human", "bot", "house"))
    status = choice(
        "`removed`: after too many matches in a row without showing up.", ("active", "withdrawn", "removed")
    )


class TournamentShape(AnswerShape):
    """A tournament; the same for every reader."""

    id = identity("tn", "The id.")
    status = choice("open → running ⇄ paused → finished or cancelled.", STATUSES)
    version = number("The number of its last event.")
    organizer = identity("ac", "The account that organizes it.")
    name = text("What it is called.")
    game = text("Its game.")
    format = choice("Who meets whom.", setups.FORMATS)
    options = any_of(OPTIONS, "All options of the game.")
    clock = any_of((ClockSchema(),), "How its matches are timed.", allow_none=True)
    seats = number("Seats of a match.")
    rounds = number("How many rounds; null: as many as the format has.", allow_none=True)
    deals = number("Deals of a table.")
    duplicate = flag("Each deal is played in several seat orders.")
    rated = flag("Its matches count for ratings.")
    entrants_allowed = choice("Who may enter.", setups.ENTRANTS_ALLOWED)
    entrants_max = number("How many may enter.")
    invited = listed(Text(), "Who may enter where only the invited may, as it was created.")
    forbidden = listed(Several(Text()), "Pairs that never meet.")
    rematches = choice("In a Swiss tournament of two seats.", setups.REMATCHES)
    own_pairings = flag("The organizer pairs each round.")
    no_show_limit = number("After so many matches in a row without showing up an entrant is removed.")
    champion = text("Who meets the field in a gauntlet.", allow_none=True)
    commitment = digest(
        "SHA-256 of `spieltisch-tournament/1\\n{id}\\n{seed}`: neither lots nor deals can be chosen later."
    )
    seed = text("What all its chance comes from; null until it has ended.", allow_none=True)
    round = number("The round that was paired last; 0 before the first.")
    entrants = listed(Inner(EntrantShape()), "In the order of entering.")
    reason = text("Why it has ended.", allow_none=True)
    created_at = instant("When it was created; null of a dry run.", allow_none=True)
    ended_at = instant("When it ended.", allow_none=True)


class TournamentsShape(AnswerShape):
    """`GET /v1/tournaments`."""

    tournaments = listed(Inner(TournamentShape()), "Newest first.")
    next_cursor = text("For the next page; null on the last.", allow_none=True)


class TableResultShape(AnswerShape):
    """How one match of a table came out."""

    number = number("Which match of the table it is, from 1.")
    type = choice("`match_voided`: it does not count.", ("match_ended", "match_voided"))
    match = identity("mt", "The match; null: decided without being played.", allow_none=True)
    seats = Several(Text(), metadata={"description": "The entrants by seat."})
    ranks = Several(Whole(), metadata={"description": "Ranks by seat; ties share one."})
    scores = Several(Whole(), metadata={"description": "Points of the game by seat."})
    end_reason = Text(metadata={"description": "How it ended: `completed`, `last_seat`, `walkover`."})
    faults = Several(
        Text(allow_none=True, validate=OneOf(("no_show", "timeout", "crash", "illegal", "resigned"))),
        metadata={"description": "What went wrong at a seat; null: nothing."},
    )
    decisions = Several(Whole(), metadata={"description": "How many actions each seat chose itself."})
    used_ms = Several(Whole(), metadata={"description": "How long they took, in ms."})
    reason = Text(metadata={"description": "Of a voided match: `absent`, `aborted`."})


class TableShape(AnswerShape):
    """Entrants who play deals with each other."""

    table = text("The id: `TOURNAMENT.ROUND.BOARD`.")
    board = number("From 1.")
    entrants = listed(Text(), "In the order in which the first match seats them.")
    deals = number("How many deals they play.")
    matches = number("In how many matches.")
    scores = Documented(
        {"type": "object", "additionalProperties": {"type": "number"}},
        required=True,
        metadata={
            "description": "The mean over its matches so far, by entrant: (beaten + half of the tied) / (seats - 1)."
        },
    )
    results = listed(Inner(TableResultShape()), "Those of its matches that have ended.")


class RoundShape(AnswerShape):
    """A round."""

    round = number("From 1.")
    by = choice("Who paired it.", ("rule", "fallback", "organizer"))
    complete = flag("All its matches have ended.")
    tables = listed(Inner(TableShape()), "Board 1 first.")
    sitting_out = listed(Text(), "Had no table: half a point, once.")
    unopposed = listed(Text(), "Would have met somebody who is gone: half a point.")


class _OfTournament(AnswerShape):
    tournament = identity("tn", "The tournament.")
    status = choice("Its status.", STATUSES)
    version = number("The version that this is of.")


class RoundsShape(_OfTournament):
    """`GET …/rounds`."""

    rounds = listed(Inner(RoundShape()), "Round 1 first.")


class StandingShape(AnswerShape):
    """A line of the standings."""

    rank = number("1, 2, 3, … without ties.")
    entrant = text("The entrant.")
    name = text("How it is called; null once erased.", allow_none=True)
    status = choice("Whether it still takes part.", ("active", "withdrawn", "removed"))
    points = Documented(
        {"type": "number"}, required=True, metadata={"description": "The sum of its scores at complete tables."}
    )
    tables = number("At how many tables it was paired.")
    matches = number("How many of its matches have ended.")
    wins = number("In how many it alone was first.")
    criteria = Documented(
        {"type": "object", "additionalProperties": {"type": "number"}},
        required=True,
        metadata={"description": "What decides, the first first; each only between those equal before it."},
    )


class StandingsShape(_OfTournament):
    """`GET …/standings`."""

    standings = listed(Inner(StandingShape()), "The best first.")


class CrosstableShape(_OfTournament):
    """`GET …/crosstable`."""

    entrants = listed(Text(), "In the order of the standings.")
    rows = Documented(
        {
            "type": "array",
            "items": {"type": "array", "items": {"type": ["array", "null"], "items": {"type": "integer"}}},
        },
        required=True,
        metadata={
            "description": "`[matches, won, tied, lost]` of the row's entrant against the column's; null: never met."
        },
    )


class StatisticsShape(_OfTournament):
    """`GET …/statistics`."""

    entrants = listed(
        anything("Means of score, part of wins and points, each `{mean, low, high}` with its 95 % interval."),
        "By entrant; the deal is the unit.",
    )
    seats = listed(anything("The same by seat."), "By seats of a match and seat.")
    narrowing = Documented(
        {"type": "number"},
        allow_none=True,
        required=True,
        metadata={"description": "How wide the intervals are beside those of as many independent matches."},
    )
    head_to_head = Documented(
        {"type": "object", "additionalProperties": True},
        allow_none=True,
        required=True,
        metadata={"description": "Of two entrants: by how much the one is ahead."},
    )


class ResultsShape(AnswerShape):
    """`GET …/results`."""

    format = choice("The format.", (RESULTS,))
    tournament = identity("tn", "The tournament.")
    game = text("Its game.")
    status = choice("How it ended.", ("finished", "cancelled"))
    standings = listed(anything("A line, as in the standings; `name` is the entrant."), "The best first.")
    crosstable = anything("`{entrants, rows}`, as the crosstable.")
    ratings = anything("`{game, clock_class, entrants}`, where everybody begins at the same.")
    statistics = anything("`{entrants, seats, narrowing, head_to_head}`, as the statistics.")


class RatingLineShape(AnswerShape):
    """A line of a leaderboard."""

    rank = number("1, 2, 3, …")
    entrant = text("The account's id, or `bot:NAME`.")
    name = text("How it is called; null once erased.", allow_none=True)
    rating = Documented({"type": "number"}, required=True, metadata={"description": "The mean; all begin at 1500."})
    deviation = Documented({"type": "number"}, required=True, metadata={"description": "Its standard deviation."})
    low = Documented({"type": "number"}, required=True, metadata={"description": "95 % interval, lower bound."})
    high = Documented({"type": "number"}, required=True, metadata={"description": "95 % interval, upper bound."})
    matches = number("How many rated matches.")


class LeaderboardShape(AnswerShape):
    """`GET /v1/ratings/{game}`."""

    game = text("The game.")
    clock_class = choice("The clock class.", CLOCK_CLASSES)
    version = number("How many matches were rated.")
    ratings = listed(Inner(RatingLineShape()), "The best lower bound first.")


class TournamentEventShape(AnswerShape):
    """One event of a tournament's log; the same for every reader."""

    seq = number("1, 2, 3, … without gaps; the tournament's `version` is the last.")
    type = text("What happened.")
    at = instant("When, by the store's clock; never decreasing, not chained.")
    seat = number("Always null.", allow_none=True)
    data = anything("What there is to say about it.")
    hash = digest("SHA-256 over the hash before it and the canonical JSON of `{data, seat, seq, type}`.")


class TournamentEventsShape(AnswerShape):
    """`GET /v1/tournaments/{id}/events` as JSON."""

    version = number("The tournament's version.")
    events = listed(Inner(TournamentEventShape()), "The events asked for, as far as there are any.")
