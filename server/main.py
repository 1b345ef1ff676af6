"""Entry point of the Claude Desktop bundle."""

from dream_mcp.__main__ import main

raise SystemExit(main())
