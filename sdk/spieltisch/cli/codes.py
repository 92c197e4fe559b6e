"""What the program says by its exit code."""

#: All went well.
DONE = 0
#: The service refused, a record is not valid, or something is wrong with the service.
REFUSED = 1
#: The command line is not right.
MISUSED = 2
#: What was checked holds, and not everything could be checked.
PARTLY = 3
#: The service could not be reached, or what answers is none.
UNREACHABLE = 4
#: Ctrl-C.
INTERRUPTED = 130
#: Whoever read the output has gone.
UNREAD = 141
