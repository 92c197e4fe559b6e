"""What bodies and parameters look like: schemas that check requests, and schemas that document answers.

Answers are never dumped through a schema. May import `games`, `domain`, `web.refusals`, marshmallow and apispec.
"""
