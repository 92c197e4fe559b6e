"""How often an accepted action goes to the store, counted over a service with two workers."""

from benchmarks import round_trips
from benchmarks.site import Site


def test_an_accepted_action_takes_one_round_trip_and_two_where_its_worker_was_behind() -> None:
    with Site(durability="fast", with_anchors=False) as site:
        rows = {row.target: row for row in round_trips.measured(site, 1)}
    assert rows[round_trips.WARM].spread == (1, 1)
    for target in (round_trips.COLD, round_trips.BEHIND, round_trips.UNVERSIONED, round_trips.STRANGER):
        spread = rows[target].spread
        assert spread is not None
        assert spread[1] <= 2, rows[target]
