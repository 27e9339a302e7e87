"""What the repository does to itself: makes its environment, its locks and its generated files."""
