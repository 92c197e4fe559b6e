"""How house bots think about Neues Land: what a position is worth, and how far to look. Imports `games` and itself."""
