"""The only room that speaks Redis: matches, lists, accounts and the bell over Redis or Valkey.

May import `app.ports`, `app.holdings`, `domain.events`, itself, redis and the standard library.
"""
