"""What the table of the benchmarks says about figures that are known."""

from benchmarks.measure import HEAD, Row, Target, interleaved, ratio, table

FASTER = Target("answers", 0.5, 0.8)
SHORTER = Target("a step", 40, 15, at_most=True, unit="µs")


def test_a_verdict_names_the_farthest_bound_that_is_reached() -> None:
    assert [FASTER.verdict(value) for value in (0.49, 0.5, 0.79, 0.8)] == ["MISSED", "must", "must", "aim"]
    assert [SHORTER.verdict(value) for value in (40.1, 40, 15.1, 15)] == ["MISSED", "must", "must", "aim"]


def test_a_ratio_is_the_median_of_the_rounds_and_not_that_of_the_sums() -> None:
    # Half the speed in every round, while the machine itself slows down to a tenth.
    assert ratio([50, 5, 25], [100, 10, 50]) == (0.5, (0.5, 0.5))
    assert ratio([1, 2, 9], [1, 1, 1]) == (2, (1, 9))


def test_every_contender_begins_as_often_as_the_others() -> None:
    calls: list[str] = []

    def contender(name: str) -> int:
        calls.append(name)
        return len(calls)

    results = interleaved({name: lambda name=name: contender(name) for name in "abc"}, 3)
    assert "".join(calls) == "abcbcacab"
    assert results == {"a": [1, 6, 8], "b": [2, 4, 9], "c": [3, 5, 7]}


def test_the_table_has_a_line_for_each_row_in_columns() -> None:
    rows = [Row("T1", FASTER, "5/s, move 10/s", 0.5, (0.4, 0.6)), Row("T7", SHORTER, "", 15.0)]
    head, first, second = table(rows).splitlines()
    assert head.split() == " ".join(HEAD).split()
    assert first.split("  ")[-1] == "must"
    assert second.split("  ")[-1] == "aim"
    assert "0.5 (0.4 to 0.6)" in first
    assert first.index("≥ 0.5") == second.index("≤ 40 µs")
