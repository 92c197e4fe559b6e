"""Jobs: each is done, again where it failed, and by somebody else where its process died."""

from __future__ import annotations

import threading

import pytest
from structlog.testing import capture_logs

from spieltisch_service.app.ports import StoreUnavailable
from spieltisch_service.jobs import Jobs

LONG_S = 60.0


def test_a_job_that_fails_is_done_again_and_told(clean_valkey: str) -> None:
    done, asked = threading.Event(), []

    def work(id_: str) -> None:
        asked.append(id_)
        if len(asked) == 1:
            raise ValueError("the first time")
        done.set()

    jobs = Jobs(clean_valkey, work)
    jobs.start()
    try:
        with capture_logs() as lines:
            jobs.hand_on("tn_1")
            assert done.wait(LONG_S)
        assert asked == ["tn_1", "tn_1"]
        assert [(line["event"], line["job"]) for line in lines] == [("job_failed", "tn_1")]
    finally:
        jobs.stop()


def test_what_one_process_hands_on_another_does(clean_valkey: str) -> None:
    done = threading.Event()
    giver, taker = Jobs(clean_valkey, pytest.fail), Jobs(clean_valkey, lambda _: done.set())
    giver.hand_on("mt_1")
    taker.start()
    try:
        assert done.wait(LONG_S)
    finally:
        taker.stop()


def test_a_lost_store_is_said() -> None:
    with pytest.raises(StoreUnavailable):
        Jobs("unix:///nowhere/nobody.sock", pytest.fail).hand_on("mt_1")
