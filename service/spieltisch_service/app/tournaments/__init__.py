"""Tournaments as the service runs them: `book` keeps them, `organizing` changes them, `director` lets them go on,
`reading` answers what they come to, `ratings` keeps what everybody's matches are worth.

May import `app`, `domain`, `games`.
"""
