"""Agents behind AG-UI, whose events user interfaces render. Spec: docs.ag-ui.com, 1.0, HTTP and SSE. Decision: 0058."""
