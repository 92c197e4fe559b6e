"""Spieltisch: hosts matches of board games for programs."""
