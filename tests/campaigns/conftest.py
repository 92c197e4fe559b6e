"""The campaigns attack the service as it is."""

from collections.abc import Iterator

import pytest

from tests.patience import as_the_product


@pytest.fixture(autouse=True)
def _as_the_product() -> Iterator[None]:
    """A store that is away is told as soon as players hear of it; the clients of the campaigns ask again."""
    with as_the_product():
        yield
