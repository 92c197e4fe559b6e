"""What the campaigns are made of: the runner, clients, faults, and the checker of histories."""
