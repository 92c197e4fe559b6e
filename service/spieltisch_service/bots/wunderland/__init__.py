"""How house bots think about Wunderland: what a position is worth, and how far to look. Imports `games` and itself."""
