"""TOURN: tournaments that are only imagined, and a second opinion on what they came to."""
