"""Pairing: one module for each format, behind `rounds.next_round`. Pure, bounded, the same for the same log and seed.

May import `domain.tournament`, the standard library and rustworkx.
"""
