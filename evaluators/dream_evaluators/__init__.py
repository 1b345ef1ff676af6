"""Evaluation of deep-research reports: the library under dream-mcp, without any MCP in it."""
