"""Who may do what: every operation, everybody who could ask, and matches in every status and visibility."""
