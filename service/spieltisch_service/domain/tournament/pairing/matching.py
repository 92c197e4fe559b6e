"""The best pairs: a matching of greatest weight over all at once, so that no pair is paid for by the last ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def best_pairs(
    count: int, cost: Callable[[int, int], int | None], bonus: Sequence[int] | None = None
) -> list[tuple[int, int]]:
    """As many pairs of 0 to `count` - 1 as can be, and of these ways one that is cheapest.

    `cost` of a pair is 0 or more, or None for one that must not be; the larger the `bonus` of somebody, the rather
    somebody else is left over. The pairs have their smaller number first, and come in its order. Some 0.1 s for 200.
    """
    worth = bonus or [0] * count
    edges = []
    for one in range(count):
        for other in range(one + 1, count):
            price = cost(one, other)
            if price is not None:
                edges.append((one, other, worth[one] + worth[other] - price))
    if not edges:
        return []
    # Only here: most processes never pair, and should not start the later for it.
    import rustworkx

    least = min(weight for _, _, weight in edges)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    graph.add_edges_from([(one, other, 1 + weight - least) for one, other, weight in edges])
    matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int, verify_optimum=False)
    return sorted((min(pair), max(pair)) for pair in matched)
