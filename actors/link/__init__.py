"""The socket between gateway and hosts: many sessions on one connection."""
