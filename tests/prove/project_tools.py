"""The tools that the agents of the kill test write orders down with: one that honours a key, and one that does not."""

from __future__ import annotations

KEYED = """\
  note_keyed(order: string) -> {order: string}
    description: "Writes an order down; the same key again changes nothing"
    side_effects: false
    type: http
    endpoint: "http://127.0.0.1:PORT/keyed"
    method: POST
    timeout: 10000
"""
UNKEYED = """\
  note_unkeyed(order: string) -> {order: string}
    description: "Writes an order down every time it is called"
    side_effects: true
    type: http
    endpoint: "http://127.0.0.1:PORT/unkeyed"
    method: POST
    timeout: 4000
"""
