"""How fast it is, as ratios: our engines, service and store against anchors on the same machine in the same run.

`./run bench [T1 T5 …] [--rounds 6] [--seconds 3]` prints the table. Imports the service's rooms, never the tests.
Nothing here passes or fails a build: absolute times differ by 2 to 4 times within seconds on shared machines, ratios
of interleaved contenders do not.
"""
