"""Reports of tournaments: what followed from a log, as JSON, CSV, Markdown and a page that needs no network.

`content` gathers the numbers, once for all forms; `text` and `page` show them, with `plots` and `wording`. Serves the
local runner and the API. May import `domain` and what is below it, and Jinja2.
"""
