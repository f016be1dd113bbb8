"""Runs Milvus in a network of its own, where its fixed ports collide with nothing and nobody else reaches them.

serve.py FOLDER PROGRAMS: the server's data is kept in FOLDER, FOLDER/socket leads to its gRPC port, and its programs are unpacked
in PROGRAMS, where they stay. Prints "ready" and the server's process once it is healthy, serves until standard input ends, and
removes FOLDER.
"""

import ctypes
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
PARENT_DEATH_SIGNAL = 1
SET_FLAGS, UP = 0x8914, 0x1
GRPC = ("127.0.0.1", 19530)
HEALTH = "http://127.0.0.1:9091/healthz"
READY_WITHIN = 600


def main():
    folder, programs = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NETWORK if os.geteuid() == 0 else NEW_USER | NEW_NETWORK) != 0:
        sys.exit("no network of its own for Milvus: " + os.strerror(ctypes.get_errno()))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loopback:
        fcntl.ioctl(loopback, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))
    server = start(folder, programs, libc)
    try:
        wait_until_healthy(server)
        listen(os.path.join(folder, "socket"))
        print("ready", server.pid, flush=True)
        while sys.stdin.buffer.read(4096):
            pass
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def start(folder, programs, libc):
    from milvus import MilvusServerConfig, _initialize_data_files

    MilvusServerConfig(data_dir=folder).resolve()
    os.makedirs(programs, exist_ok=True)
    with open(os.path.join(programs, "lock"), "w") as lock:
        # Whoever comes at the same time waits until they are there.
        fcntl.flock(lock, fcntl.LOCK_EX)
        _initialize_data_files(programs)
    binaries = os.path.join(programs, "bin")
    own = {"DEPLOY_MODE": "STANDALONE", "LD_LIBRARY_PATH": binaries, "MILVUS_RUN_DIR": os.path.join(folder, "run")}
    with open(os.path.join(folder, "log"), "wb") as log:
        return subprocess.Popen(
            [os.path.join(binaries, "milvus"), "run", "standalone"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=dict(os.environ, **own),
            cwd=folder,
            preexec_fn=lambda: libc.prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL),
        )


def wait_until_healthy(server):
    end = time.monotonic() + READY_WITHIN
    while time.monotonic() < end:
        if server.poll() is not None:
            sys.exit("Milvus ended with %s" % server.returncode)
        try:
            with urllib.request.urlopen(HEALTH, timeout=2) as reply:
                if reply.read().strip() == b"OK":
                    return
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit("Milvus was not healthy within %s s" % READY_WITHIN)


def listen(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    threading.Thread(target=accept, args=(listener,), daemon=True).start()


def accept(listener):
    while True:
        near, _ = listener.accept()
        try:
            far = socket.create_connection(GRPC)
        except OSError:
            near.close()
            continue
        # A request in two parts would otherwise wait for word that the first has come.
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink in ((near, far), (far, near)):
            threading.Thread(target=pass_on, args=(source, sink), daemon=True).start()


def pass_on(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


main()
