"""One question for each module; `make bench-NAME` asks it, prints a table and keeps the figures."""
