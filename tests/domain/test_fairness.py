"""Fair deals, against the values that the contract gives."""

import hashlib
import hmac

from hypothesis import given
from hypothesis import strategies as st

from spieltisch_service.domain.fairness import NONCE, commitment, deal_seed
from spieltisch_service.games.chance import shuffled

SEED = bytes(range(32))
DEAL_SEED = "aa25a70e9b3e8794a024b93afef6ae590ba3993d3115a64fe6a8765d68776d93"


def test_the_deal_seed_is_that_of_the_contract() -> None:
    assert deal_seed(SEED, ["ada", None]).hex() == DEAL_SEED


def test_the_commitment_is_that_of_the_contract() -> None:
    expected = "e894e575053cea03f81a909467db8794e960d383ca47641a2e8846b3f7c184d2"
    assert commitment("mt_example", "neues-land", "1", SEED) == expected


def test_nonces_enter_the_deal_by_seat() -> None:
    assert deal_seed(SEED, ["ada", None]) != deal_seed(SEED, [None, "ada"])
    assert deal_seed(SEED, [None, None]) != deal_seed(SEED, [None, None, None])


@given(st.lists(st.text("abc", max_size=2), max_size=40), st.binary(min_size=32, max_size=32))
def test_a_shuffle_keeps_the_pile_and_forgets_its_order(pile: list[str], seed: bytes) -> None:
    assert sorted(shuffled(pile, seed)) == sorted(pile)
    assert shuffled(reversed(pile), seed) == shuffled(pile, seed)


def test_a_shuffle_of_two_by_hand() -> None:
    """Of two, one word decides: even swaps (below(2) is 0), odd leaves them."""
    for number in range(8):
        seed = number.to_bytes(32, "big")
        block = hmac.digest(seed, b"spieltisch-shuffle/1\n" + bytes(8), hashlib.sha256)
        odd = block[7] % 2 == 1
        assert shuffled(["b", "a"], seed) == (["a", "b"] if odd else ["b", "a"])


def test_nonces_have_a_narrow_form() -> None:
    assert all(NONCE.fullmatch(good) for good in ("a", "A-b_9", "x" * 64))
    assert not any(NONCE.fullmatch(bad) for bad in ("", "x" * 65, "ä", "a b", "a\n"))
