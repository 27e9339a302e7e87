"""Chat models: adapters that convert requests, events and errors of one wire each, and what is wrapped around them."""
