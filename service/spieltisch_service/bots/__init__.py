"""House bots: opponents that see what any player sees and act through the use cases, as callers with a seat token.

May import `app`, `domain`, `games`, itself and the standard library and structlog.
"""
