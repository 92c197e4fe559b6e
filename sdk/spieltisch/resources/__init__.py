"""What a client works with: games, matches, one match, its turns. Each wraps operations of the API one to one."""
