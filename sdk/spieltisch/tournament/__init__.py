"""Tournaments on one's own machine: a cup file is read, played without a server, and can be resumed at any point.

`cup` reads the file, `event` says what is to be played next and keeps the log (`book`), `playing` plays one match
whatever its bots do (`seats`), `engine` plays many in parallel, `plan` tells what would be played. The rules, pairing
and standings are the service's own, loaded when they are needed.
"""
