"""The operations, one module per noun: each takes a checked request, calls one use case and answers.

May import `web`'s other modules (but `app.py` and `spec.py`) and `app`.
"""
