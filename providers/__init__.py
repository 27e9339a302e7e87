"""What an agent can use from outside: models and tools, behind protocols, with one HTTP client under them.

Adapters only convert; waiting, retrying and counting happen once, outside of them.
"""
