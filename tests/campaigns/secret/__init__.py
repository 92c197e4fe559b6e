"""What CANARY must find."""
