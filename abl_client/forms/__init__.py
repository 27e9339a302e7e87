"""One module for each part of the API. Made by tools/generate_client.py, not to be edited."""
