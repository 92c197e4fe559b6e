"""What CLOCK is made of: a clock of its own, races at deadlines, and services whose clocks are wrong or stand still."""
