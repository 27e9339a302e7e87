"""Agents as servers of Agent2Agent. Spec: a2a-protocol.org, 0.3 and 1.0, JSON-RPC binding. Decision: 0054."""
