"""House bots: opponents that see what any player sees and act through the use cases, as callers with a seat token.

A bot is a function from a `Position` to an action. `random_bot` needs no rules; `thinking` imagines states from the
view, and asks the room of the game. May import `app`, `domain`, `games`, itself, the standard library, orjson and
structlog.
"""
