"""One session: what it does with each message, and the loop that turns facts into effects and effects into facts."""
