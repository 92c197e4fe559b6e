"""Use cases: what a caller can do with accounts and matches, one module per noun. Knows no HTTP and no Redis.

May import `domain`, `games`, itself, the standard library and orjson.
"""
