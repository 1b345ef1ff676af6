"""What fetching costs: memory under bombs, CPU under bad headers, pages a second over loopback.

Run it with `python bench/fetching.py [pages]`. The server and every client are processes of their
own, so that one's memory is not counted as the other's. Pages are the real ones of the shared
library where it is beside the repository, else one of our own.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio

from dream_evaluators.web.fetch import Fetcher
from dream_evaluators.web.outcomes import classify
from dream_evaluators.web.policy import FetchPolicy
from dream_evaluators.web.reading import read_source

MEBIBYTE = 1 << 20
BOMB_MEBIBYTES = 1024
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
LATENCY = 0.05  # seconds, of a page
CONCURRENCY = 32
PAGES = Path(__file__).parents[2] / "shared/data/pages/wcxb_dev_sample.jsonl.gz"
KIBIBYTE_UNITS = 1 if sys.platform == "darwin" else 1024


def bomb(wbits: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    block = bytes(MEBIBYTE)
    return b"".join(packer.compress(block) for _ in range(BOMB_MEBIBYTES)) + packer.flush()


def answers() -> dict[str, bytes]:
    gz = bomb(31)
    headers = b"".join(b"X-%d: %s\r\n" % (n, b"y" * 1000) for n in range(5000))
    short_headers = b"".join(b"X-%d: 1\r\n" % n for n in range(3000))
    return {
        "/small": HEAD + b"Content-Length: 2\r\n\r\nok",
        "/gzip": HEAD + b"Content-Encoding: gzip\r\n\r\n" + gz,
        "/gzip-twice": HEAD + b"Content-Encoding: gzip, gzip\r\n\r\n" + gzip.compress(gz),
        "/deflate": HEAD + b"Content-Encoding: deflate\r\n\r\n" + bomb(15),
        "/br": HEAD + b"Content-Encoding: br\r\n\r\n" + bytes(1000),
        "/headers-5MB": b"HTTP/1.1 200 OK\r\n" + headers + b"\r\nok",
        "/headers-3000": HEAD + short_headers + b"Content-Length: 2\r\n\r\nok",
    }


def pages() -> list[bytes]:
    """Return gzipped answers."""
    texts = ["<p>The harbour board counts 1,204 ships.</p>" * 900]
    if PAGES.exists():
        with gzip.open(PAGES, "rt", encoding="utf-8") as lines:
            texts = [json.loads(line)["html"] for line in lines]
    bodies = [gzip.compress(text.encode("utf-8", "replace")) for text in texts]
    head = HEAD.replace(b"text/html", b"text/html; charset=utf-8") + b"Content-Encoding: gzip\r\n"
    return [head + b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies]


async def serve() -> None:
    known, served = answers(), pages()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
                page = path.startswith("/page/")
                if page:
                    await asyncio.sleep(LATENCY)
                    writer.write(served[int(path[6:]) % len(served)])
                else:
                    writer.write(known.get(path, HEAD + b"\r\n"))
                await writer.drain()
                while path == "/endless":
                    writer.write(bytes(65536))
                    await writer.drain()
                if not page and path != "/small":
                    break
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIBIBYTE_UNITS / MEBIBYTE


def policy() -> FetchPolicy:
    return FetchPolicy(
        allow=("127.0.0.1",),
        per_host=CONCURRENCY,
        host_interval=0,
        concurrency=CONCURRENCY,
        retry_seconds=0,
    )


async def one(port: int, path: str) -> None:
    async with Fetcher(policy()) as fetcher:
        await fetcher.get(f"http://127.0.0.1:{port}/small")
        idle, start = peak(), time.process_time()
        response = await fetcher.get(f"http://127.0.0.1:{port}{path}")
        print(
            json.dumps(
                {
                    "idle": idle,
                    "peak": peak(),
                    "cpu": time.process_time() - start,
                    "outcome": classify(response)[0],
                    "bytes": len(response.body),
                }
            )
        )


async def many(port: int, count: int, task: str) -> None:
    stalls: list[float] = []
    turns = anyio.Semaphore(CONCURRENCY)

    async def visit(fetcher: Fetcher, number: int) -> None:
        url = f"http://127.0.0.1:{port}/page/{number}"
        async with turns:
            if task == "fetch":
                await fetcher.get(url)
            else:
                await read_source(fetcher, url, archive=False)

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await anyio.sleep(0.002)
            stalls.append(time.perf_counter() - before - 0.002)

    async with Fetcher(policy()) as fetcher, anyio.create_task_group() as watching:
        await read_source(fetcher, f"http://127.0.0.1:{port}/page/0", archive=False)
        watching.start_soon(watch)
        start, cpu = time.perf_counter(), time.process_time()
        async with anyio.create_task_group() as tasks:
            for number in range(count):
                tasks.start_soon(visit, fetcher, number)
        seconds = time.perf_counter() - start
        watching.cancel_scope.cancel()
    milliseconds = 1000 * (time.process_time() - cpu) / count
    print(
        f"{task:<14}{count / seconds:>9.0f}{milliseconds:>13.2f}{1000 * max(stalls):>14.0f}"
        f"{peak():>11.0f}",
        flush=True,
    )


@contextmanager
def server() -> Iterator[int]:
    with subprocess.Popen(
        [sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def main(count: int) -> None:
    with server() as port:
        print(f"{'answer':<14}{'idle':>7}{'above':>7} MiB{'CPU':>7} s{'body':>10}  outcome")
        for path in (*answers_to_bench(), "/endless"):
            out = subprocess.run(
                [sys.executable, __file__, "one", str(port), path],
                capture_output=True,
                check=True,
                text=True,
            ).stdout
            row = json.loads(out)
            print(
                f"{path[1:]:<14}{row['idle']:>7.1f}{row['peak'] - row['idle']:>7.1f}"
                f"{row['cpu']:>11.2f}{row['bytes']:>12,}  {row['outcome']}"
            )
        print(
            f"\n{str(count) + ' pages':<14}  pages/s  CPU ms/page  stall max ms   peak MiB",
            flush=True,
        )
        for task in ("fetch", "fetch+read"):
            subprocess.run(
                [sys.executable, __file__, "many", str(port), str(count), task], check=True
            )


def answers_to_bench() -> tuple[str, ...]:
    return ("/small", "/gzip", "/gzip-twice", "/deflate", "/br", "/headers-5MB", "/headers-3000")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve())
    elif sys.argv[1:2] == ["one"]:
        anyio.run(one, int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1:2] == ["many"]:
        anyio.run(many, int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 500)
