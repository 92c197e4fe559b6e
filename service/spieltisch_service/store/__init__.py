"""The only room that speaks Redis: matches, lists, accounts and the bell over Redis or Valkey.

May import `app.ports`, `domain.events`, itself, redis and the standard library.
"""
