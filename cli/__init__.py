"""The command line `abl`: reads and writes files, prints for people, and leaves all thinking to the packages below."""
