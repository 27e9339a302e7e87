"""Tools that live on MCP servers. What knows the package `mcp` is imported when the first of them runs."""
