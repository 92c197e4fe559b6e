"""The service without a network: the whole of it within one process, or a single match without even a store.

Serves the SDK's `Client("local:")` and its bot kit. May import everything below the supervisor.
"""
