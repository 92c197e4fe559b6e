"""The command line `spieltisch`: play, watch, replay and verify matches, and look at a service.

Each command has its module with `add` (its arguments) and `run` (what it does; returns the exit code). `rich` makes it
look better where it is installed and somebody looks; nothing needs it.
"""
