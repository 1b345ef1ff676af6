"""DREAM over MCP: the server and the command line."""

__version__ = "0.1.0"
