"""What if, from Python."""

import json

from spieltisch import Client
from tests.sdk.faults import Answer, StandIn

KEY = "spt_key_secretsecretsecret"
SEEN = {
    "game": "wunderland",
    "seat": None,
    "to_act": 1,
    "phase": "turn",
    "scores": [15, 0],
    "state": {"round": 2},
}
ANSWER = {
    "worlds": [
        {
            "branches": [
                {"view": {**SEEN, "legal_actions": [{"type": "end_turn"}], "result": None}, "error": None},
                {"view": None, "error": {"index": 1, "rule": "W20", "detail": "no", "suggestions": []}},
            ]
        }
    ]
}


def test_a_question_and_its_answer(stand_in: StandIn) -> None:
    client = Client(stand_in.url, KEY)
    stand_in.answers = [Answer(body=ANSWER), Answer(body=ANSWER)]
    branches = [[], [{"type": "stay"}, {"type": "end_turn"}]]
    worlds = client.sandbox(SEEN, worlds=1, seed="mine", branches=branches)
    [[after, refused]] = [world.branches for world in worlds]
    assert len(worlds) == 1
    assert after.view is not None
    assert (after.view.to_act, after.view.scores, after.error) == (1, (15, 0), None)
    assert after.view.legal_actions == [{"type": "end_turn"}]
    assert refused.error is not None
    assert (refused.error.rule, refused.error.index, refused.view) == ("W20", 1, None)
    client.sandbox(after.view)
    first, again = (json.loads(asked.body) for asked in stand_in.asked)
    assert first == {"game": "wunderland", "view": SEEN, "worlds": 1, "seed": "mine", "branches": branches}
    assert again == {"game": "wunderland", "view": SEEN}
