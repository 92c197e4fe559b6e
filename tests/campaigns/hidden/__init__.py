"""Two worlds that a viewer must not be able to tell apart, everything that the viewer can ask in each, and leaks."""
