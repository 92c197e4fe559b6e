"""What answers look like. These schemas document, and the tests validate answers against them; nothing is dumped."""

from __future__ import annotations

from spieltisch_service.web.schemas.clocks import ClockSchema
from spieltisch_service.web.schemas.fields import AnswerShape, Documented, Inner, Text, Whole
from spieltisch_service.web.schemas.games import STATES
from spieltisch_service.web.schemas.requests import STATUSES, ActionSchema
from spieltisch_service.web.schemas.shapes import (
    OPTIONS,
    any_of,
    anything,
    choice,
    digest,
    flag,
    identity,
    inner,
    instant,
    listed,
    number,
    text,
)

END_REASONS = ("completed", "last_seat")


# --- the service ------------------------------------------------------------------------------------------------


class IndexShape(AnswerShape):
    """`GET /v1`."""

    name = text("The service.")
    version = text("Its version.")
    docs = text("Documentation for people.")
    openapi = text("This description.")
    games = text("The catalogue.")


class LiveShape(AnswerShape):
    """`GET /livez`."""

    status = choice("The process answers.", ("alive",))


class ReadyShape(AnswerShape):
    """`GET /readyz`."""

    status = choice("The service can do its work.", ("ready",))
    durability = choice(
        "`fsync`: an answered request is on the disk; `fast`: within a second.", ("fsync", "fast", "none")
    )
    store = text("The store's product and version.")
    limits = choice("Whether callers are held to limits.", ("on", "off"))


class ProblemPageShape(AnswerShape):
    """`GET /problems/{code}`."""

    type = text("As in the problem document.")
    code = text("The code.")
    status = number("The HTTP status.")
    title = text("The title.")
    meaning = text("What it means and what to do.")


# --- the catalogue ----------------------------------------------------------------------------------------------


class PlayersShape(AnswerShape):
    """How many can play."""

    min = number("At least.")
    max = number("At most.")


class GameShape(AnswerShape):
    """A game of the catalogue, in short."""

    id = text("The id, in URLs and records.")
    name = Documented(
        {"type": "object", "additionalProperties": {"type": "string"}},
        required=True,
        metadata={"description": "Its name by language."},
    )
    rules_version = text("Changes when the same deal and actions could give another game.")
    players = inner(PlayersShape(), "How many play.")
    phases = listed(Text(), "Every phase of a match; the last is `over`.")
    options = anything("JSON Schema of the options.")


class GamesShape(AnswerShape):
    """`GET /v1/games`."""

    games = listed(Inner(GameShape()), "The catalogue.")


class FullGameShape(GameShape):
    """`GET /v1/games/{game}`."""

    actions = Documented(
        {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": True}},
        required=True,
        metadata={"description": "JSON Schema of each kind of action, by `type`."},
    )
    material = anything("What lies on the table: tiles, or map and cards.")
    rules = Documented(
        {"type": "object", "additionalProperties": {"type": "string"}},
        required=True,
        metadata={"description": "Where the rules are, by language."},
    )


# --- accounts ---------------------------------------------------------------------------------------------------


class AccountShape(AnswerShape):
    """An account as its owner sees it."""

    id = identity("ac", "The id.")
    name = text("The name; null once erased.", allow_none=True)
    kind = choice("Who plays.", ("human", "bot"))
    created_at = instant("When it was created.")


class NewAccountShape(AnswerShape):
    """`POST /v1/accounts`."""

    account = inner(AccountShape(), "The account.")
    key = text("The API key. It is shown now and cannot be recovered.")
    notice = text("Says that a lost key cannot be recovered.")


class OwnSeatShape(AnswerShape):
    """What a seat token stands for."""

    match = identity("mt", "The match.")
    seat = number("The seat.")


class LimitShape(AnswerShape):
    """One limit: of a rate, or of how many there may be at a time."""

    name = text("The policy, as in `RateLimit`, or the quota.")
    per = choice("What is counted together.", ("key", "address", "account"))
    limit = number("How many.")
    window_s = number("In how many seconds; null: at a time.", allow_none=True)


class KeyShape(AnswerShape):
    """An API key as its owner sees it."""

    id = identity("ky", "The id.")
    name = text("What its owner calls it.")
    scopes = listed(Text(), "What it may do.")
    created_at = instant("When it was made.")
    expires_at = instant("When it ends, or ended; null: never.", allow_none=True)
    ends_with = text("Its last characters, to know it by; empty for a key from before they were kept.")


class NewKeyShape(KeyShape):
    """`POST /v1/me/keys` and `…/rotation`."""

    key = text("The key. Shown in this answer and never again.")
    notice = text("What to do with the key.")


class KeysShape(AnswerShape):
    """`GET /v1/me/keys`."""

    keys = listed(Inner(KeyShape()), "The keys that have not ended, oldest first.")


class MeShape(AnswerShape):
    """`GET /v1/me`."""

    account = inner(AccountShape(), "The account of an API key; null for a seat token.", allow_none=True)
    key = inner(KeyShape(), "The API key itself; null for a seat token.", allow_none=True)
    seat = inner(OwnSeatShape(), "What a seat token stands for; null for an API key.", allow_none=True)
    scopes = listed(Text(), "What the token may do.")
    expires_at = instant("When the token ends; null: at no set time.", allow_none=True)
    limits = listed(Inner(LimitShape()), "Limits in force; none where limits are off.")


class ErasedShape(AnswerShape):
    """`DELETE /v1/me`."""

    account = inner(AccountShape(), "The account, without its name.")


class DecisionShape(AnswerShape):
    """A match that waits for the caller."""

    match = identity("mt", "The match.")
    game = text("Its game.")
    seat = number("The seat that must act.")
    version = number("The match's version.")
    since_at = instant("Since when it waits.")
    deadline_at = instant("Until when; null: there is no clock.", allow_none=True)


class DecisionsShape(AnswerShape):
    """`GET /v1/me/decisions`."""

    decisions = listed(Inner(DecisionShape()), "Matches that wait for the caller.")
    cursor = text("Stands for this list; with it, the next request waits for another one.")


# --- matches ----------------------------------------------------------------------------------------------------


class SeatShape(AnswerShape):
    """A seat of a match."""

    seat = number("Its number.")
    kind = choice("Who sits there, or may.", ("account", "guest", "bot", "open", "invite"))
    taken = flag("Whether somebody sits there.")
    account = text("The account, if one sits there.", allow_none=True)
    name = text("The name of whoever sits there.", allow_none=True)
    status = choice("Whether it still plays.", ("active", "resigned", "forfeited"))


class ResultShape(AnswerShape):
    """How a match ended."""

    scores = listed(Whole(), "Points, by seat.")
    ranks = listed(Whole(), "Ranks by seat; ties share one (1, 1, 3).")
    end_reason = choice("`last_seat`: all others had left.", END_REASONS)


class MatchShape(AnswerShape):
    """A match; the same for every reader."""

    id = identity("mt", "The id.")
    game = text("Its game.")
    rules_version = text("The rules that it is played by.")
    options = any_of(OPTIONS, "All options, the defaults too.")
    status = choice("open → running → finished or aborted.", STATUSES)
    version = number("The number of its last event.")
    seats = listed(Inner(SeatShape()), "Seat 0 first.")
    start = choice("How it starts.", ("auto", "manual"))
    visibility = choice("Who may read it.", ("public", "unlisted", "private"))
    commitment = digest("Commits to the deal's seed; null for an explicit deal.", allow_none=True)
    deal_source = choice("Where the deal is from.", ("drawn", "explicit"))
    clock = any_of((ClockSchema(),), "How long decisions may take; null: as long as they like.", allow_none=True)
    rated = flag("Whether it could count for a rating.")
    metadata = Documented(
        {"type": "object", "additionalProperties": {"type": "string"}},
        required=True,
        metadata={"description": "The creator's notes."},
    )
    created_at = instant("When it was created.")
    started_at = instant("When it started.", allow_none=True)
    ended_at = instant("When it ended.", allow_none=True)
    expires_at = instant(
        "When it is aborted unless something happens, or deleted once it has ended; null: never.", allow_none=True
    )
    result = inner(ResultShape(), "How it ended; null while it runs, and of an aborted match.", allow_none=True)
    rematch = identity("mt", "The match that follows this one.", allow_none=True)


class GrantShape(AnswerShape):
    """A token for one seat."""

    seat = number("The seat.")
    token = text("The token.")


class InvitationShape(AnswerShape):
    """An invitation as the creator of its match sees it."""

    id = identity("iv", "The id.")
    seat = number("The seat that it opens; null: any seat for invitations.", allow_none=True)
    uses = number("How often a seat may be taken by it; null: whenever its seat is free.", allow_none=True)
    used = number("How often that was so; 0 where nobody counts.")
    expires_at = instant("When it ends; null: with the match.", allow_none=True)
    revoked = flag("Whether it was revoked.")


class InvitationsShape(AnswerShape):
    """`GET …/invitations`."""

    invitations = listed(Inner(InvitationShape()), "Those that were not revoked.")


class NewInvitationShape(InvitationShape):
    """An invitation with its token."""

    token = text("The token. Shown in this answer and never again.")


class NewInvitationsShape(AnswerShape):
    """`POST …/invitations`."""

    invitations = listed(Inner(NewInvitationShape()), "The new one.")


class JoinedMatchShape(MatchShape):
    """A match with the tokens of the seats that the caller just took."""

    grants = listed(Inner(GrantShape()), "Seat tokens of the caller's new seats.")


class CreatedMatchShape(JoinedMatchShape):
    """`POST /v1/matches`."""

    invitations = listed(Inner(GrantShape()), "A token for each `invite` seat, to hand on.")


class MatchesShape(AnswerShape):
    """`GET /v1/matches`."""

    matches = listed(Inner(MatchShape()), "Newest first.")
    next_cursor = text("For the next page; null on the last.", allow_none=True)


# --- play -------------------------------------------------------------------------------------------------------


class ViewShape(AnswerShape):
    """What the caller may see of a match."""

    match = identity("mt", "The match.")
    game = text("Its game.")
    version = number("The number of its last event.")
    status = choice("open → running → finished or aborted.", STATUSES)
    seat = number("Whose view it is; null: a spectator's.", allow_none=True)
    to_act = number("The seat that must act.", allow_none=True)
    phase = text("The phase, as the catalogue lists them; null before the start.", allow_none=True)
    scores = listed(Whole(), "Points so far, by seat; null before the start.", allow_none=True)
    state = any_of(STATES.values(), "The game's part; null before the start.", allow_none=True)
    legal_actions = listed(
        Inner(ActionSchema()), "What the caller may do; null unless it is the caller's decision.", allow_none=True
    )
    deadline_at = instant(
        "When the time of the seat that must act is used up; null where no clock runs.", allow_none=True
    )
    remaining_ms = listed(
        Whole(),
        "What each seat had when this decision began, in ms, by seat; null without a clock. To count down is the "
        "reader's: nothing in a view changes but with its version.",
        allow_none=True,
    )
    result = inner(ResultShape(), "How it ended.", allow_none=True)


class LegalActionsShape(AnswerShape):
    """`GET …/legal-actions`."""

    version = number("The match's version.")
    legal_actions = listed(
        Inner(ActionSchema()), "What the caller may do; null unless it is the caller's decision.", allow_none=True
    )
