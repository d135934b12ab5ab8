#!/usr/bin/env python3
"""Opens a local TCP port that leads to an instance behind the platform:
  python3 forward.py wss://ctf.example.org/api/proxy/... [port]
Needs Python 3.7 or later and nothing else."""
import base64
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time
from urllib.parse import urlsplit

BINARY, CLOSE, PING, PONG = 2, 8, 9, 10
LINGERS = 3  # seconds without an answer after which a finished connection is closed

if len(sys.argv) < 2 or not sys.argv[1].startswith(("ws://", "wss://")):
    sys.exit("Usage: python3 forward.py wss://.../api/proxy/... [port]")
url = urlsplit(sys.argv[1])


def connect():
    secure = url.scheme == "wss"
    remote = socket.create_connection((url.hostname, url.port or (443 if secure else 80)))
    if secure:
        remote = ssl.create_default_context().wrap_socket(remote, server_hostname=url.hostname)
    key = base64.b64encode(os.urandom(16)).decode()
    lines = ["GET %s HTTP/1.1" % url.path, "Host: %s" % url.netloc, "Connection: Upgrade", "Upgrade: websocket"]
    lines += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: %s" % key, "", ""]
    remote.sendall("\r\n".join(lines).encode())
    reader = remote.makefile("rb")
    status = reader.readline().decode().strip()
    length = 0
    for header in iter(lambda: reader.readline().strip().lower(), b""):
        if header.startswith(b"content-length:"):
            length = min(int(header[15:]), 65536)
    if " 101" not in status:
        raise OSError(status.split(" ", 1)[-1].split(" ")[0] + ": " + reason_of(reader.read(length), status))
    return remote, reader


def reason_of(body, status):
    try:
        return json.loads(body.decode())["title"]
    except (ValueError, KeyError, TypeError):
        return status


def frame(code, data):
    mask = os.urandom(4)
    size = len(data)
    head = struct.pack(">BB", 0x80 | code, 0x80 | size) if size < 126 else struct.pack(">BBH", 0x80 | code, 0xFE, size)
    masked = int.from_bytes(data, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")
    return head + mask + masked.to_bytes(size, "big")


def forward(local):
    try:
        remote, reader = connect()
    except OSError as error:
        print(error, file=sys.stderr)
        return local.close()
    lock = threading.Lock()
    heard = [time.monotonic()]

    def send(code, data):
        with lock:
            remote.sendall(frame(code, data))

    def outward():
        try:
            for data in iter(lambda: local.recv(16384), b""):
                send(BINARY, data)
            # A WebSocket cannot end one direction alone.
            while time.monotonic() - heard[0] < LINGERS:
                time.sleep(0.1)
            send(CLOSE, b"")
        except OSError:
            pass

    threading.Thread(target=outward, daemon=True).start()
    try:
        while True:
            code, size = struct.unpack(">BB", reader.read(2))
            if size > 125:
                (size,) = struct.unpack(">H" if size == 126 else ">Q", reader.read(2 if size == 126 else 8))
            data = reader.read(size)
            heard[0] = time.monotonic()
            if code & 15 == PING:
                send(PONG, data)
            elif code & 15 == CLOSE:
                send(CLOSE, data)
                break
            elif code & 15 < CLOSE:
                local.sendall(data)
    except (OSError, struct.error):
        pass
    remote.close()
    try:
        local.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    local.close()


server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0))
server.listen()
port = server.getsockname()[1]
print("127.0.0.1:%d forwards to the instance, for example: nc 127.0.0.1 %d\nPress Ctrl-C to stop." % (port, port), flush=True)
try:
    while True:
        threading.Thread(target=forward, args=(server.accept()[0],), daemon=True).start()
except KeyboardInterrupt:
    pass
