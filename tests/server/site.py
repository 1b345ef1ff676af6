"""A real web server on loopback for the server's tests."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Site:
    """Where the server listens, and who asked for what."""

    host: str = ""
    asked: Counter[str] = field(default_factory=Counter)


@contextmanager
def serving(pages: Mapping[str, str], seconds: float = 0.0) -> Iterator[Site]:
    """Serve HTML pages by path, each after so many seconds; anything else is 404."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked[self.path] += 1
            time.sleep(seconds)
            body = pages.get(self.path, "<h1>Not found</h1>").encode()
            self.send_response(200 if self.path in pages else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site.host = f"127.0.0.1:{server.server_address[1]}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
