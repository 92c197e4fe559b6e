"""The web: HTTP in front of the use cases, nothing more. Decodes, checks, calls `app`, and answers.

May import `app`, `domain`, `games` and itself; Flask, flask-smorest, marshmallow, apispec and orjson live here only.
"""
