"""Play board games on a Spieltisch server."""
