"""Where grains live: the same host class in this process, in a child process, or in a Ray actor."""
