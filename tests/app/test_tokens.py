"""The form of tokens: what scanners of secrets look for, and what is refused without the store."""

import re
import zlib
from pathlib import Path

import pytest

from spieltisch_service.app.callers import SeatGrant
from spieltisch_service.app.tokens import Tokens, checksum

TOKENS = Tokens(b"a secret of the tests, thirty-two bytes or more")
MATCH, ACCOUNT, KEY, INVITATION = "mt_" + "0" * 32, "ac_" + "1" * 32, "ky_" + "2" * 32, "iv_" + "3" * 32
#: The expression that SECURITY.md gives to scanners.
SCANNED = re.compile(
    next(
        line
        for line in (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8").splitlines()
        if line.startswith("spt_(")
    )
)
ALL = {
    "key": TOKENS.key(ACCOUNT, KEY),
    "seat": TOKENS.seat(SeatGrant(MATCH, 3, 12)),
    "invitation": TOKENS.invitation(MATCH, INVITATION),
}


def base_62(number: int) -> str:
    """By hand: six digits of 0-9, A-Z, a-z, the last one first."""
    alphabet = "0123456789" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "abcdefghijklmnopqrstuvwxyz"
    return "".join(alphabet[number // 62**place % 62] for place in (5, 4, 3, 2, 1, 0))


def test_checksums_are_known() -> None:
    # The CRC32 of "123456789" is cbf43926, as every table of check values has it: 3421780262.
    assert checksum("123456789") == base_62(0xCBF43926) == "3jZRME"
    assert checksum("") == "000000"


@pytest.mark.parametrize("kind", ALL)
def test_a_token_has_the_form_and_the_checksum_that_scanners_know(kind: str) -> None:
    token = ALL[kind]
    assert SCANNED.fullmatch(token)
    assert token[-6:] == base_62(zlib.crc32(token[:-6].encode()))
    assert len(token) <= 256


def read(token: str) -> tuple[object, ...]:
    return TOKENS.account_of(token), TOKENS.grant_of(token), TOKENS.invitation_of(token, MATCH)


def test_tokens_are_read_as_what_they_are() -> None:
    assert read(ALL["key"]) == (ACCOUNT, None, None)
    assert read(ALL["seat"]) == (None, SeatGrant(MATCH, 3, 12), None)
    assert read(ALL["invitation"]) == (None, None, INVITATION)
    assert TOKENS.invitation_of(ALL["invitation"], "mt_" + "f" * 32) is None


@pytest.mark.parametrize("kind", ALL)
def test_whatever_is_changed_is_refused(kind: str) -> None:
    token = ALL[kind]
    nothing = (None, None, None)
    for place, char in enumerate(token):
        changed = token[:place] + ("0" if char != "0" else "1") + token[place + 1 :]
        assert read(changed) == nothing
        # The right checksum of the wrong token is no better.
        assert read(changed[:-6] + checksum(changed[:-6])) == nothing or changed[:-6] == token[:-6]
    for other in (token[:-1], token + "0", token.upper(), f" {token}", f"{token}\n", "", "ä"):
        assert read(other) == nothing
    assert Tokens(b"another secret").account_of(token) is None
    assert Tokens(b"another secret").grant_of(token) is None
    assert Tokens(b"another secret").invitation_of(token, MATCH) is None


def test_a_token_says_one_thing_only() -> None:
    grants = {TOKENS.seat(SeatGrant(MATCH, seat, generation)) for seat in range(5) for generation in range(5)}
    assert len(grants) == 25
    assert TOKENS.key(ACCOUNT, KEY)[-49:-6] != TOKENS.key(KEY, ACCOUNT)[-49:-6]
    assert TOKENS.first_key_id(ACCOUNT) != TOKENS.first_key_id("ac_" + "f" * 32)


def test_the_only_key_of_before_is_read() -> None:
    token = TOKENS.only_key(ACCOUNT)
    assert re.fullmatch(r"spt_key_[0-9a-f]{32}_[A-Za-z0-9_-]{43}", token)
    assert TOKENS.account_of(token) == ACCOUNT
    assert TOKENS.account_of(token[:-1] + ("A" if token[-1] != "A" else "B")) is None
