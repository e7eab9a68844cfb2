"""What an MPI library asks of who started its processes: its rank, and what the others have published.

The protocol is lines of ``key=value`` words over a socket that each process inherits.

Source: Balaji et al., PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale
Systems, 2010, https://doi.org/10.1007/978-3-642-15646-5_4 (version 1).
"""

from __future__ import annotations

import os
import secrets
import socket


class Server:
    """Serves the processes of one program.

    Args:
        size (int): how many there are.
    """

    def __init__(self, size: int):
        self.size, self.published = size, {"PMI_process_mapping": f"(vector,(0,1,{size}))"}
        self.links: dict[int, socket.socket] = {}
        self.arrived: set[int] = set()
        # Libraries name memory that processes share after it, which may outlive a killed program.
        self.name = f"minds_{os.getpid()}_{secrets.token_hex(4)}"
        self.aborted: int | None = None  # the exit code that a process asked for
        self._begun: dict[int, bytes] = {}

    def link(self, rank: int) -> socket.socket:
        """The end for a process; the other one is kept."""
        here, there = socket.socketpair()
        here.setblocking(False)
        self.links[rank], self._begun[rank] = here, b""
        return there

    def read(self, rank: int) -> bool:
        """Answer what has come from a process. Whether there will be more."""
        try:
            got = self.links[rank].recv(65536)
        except BlockingIOError:
            return True
        except OSError:
            got = b""
        if not got:
            self.links.pop(rank).close()
            return False
        *lines, self._begun[rank] = (self._begun[rank] + got).split(b"\n")
        for line in lines:
            words = dict(w.split("=", 1) for w in line.decode().split() if "=" in w)
            answer = self._answer(rank, words)
            if answer:
                self._send(rank, answer)
        return True

    def _send(self, rank: int, line: str) -> None:
        link = self.links.get(rank)
        if link is None:
            return
        try:
            link.setblocking(True)
            link.sendall(line.encode() + b"\n")
            link.setblocking(False)
        except OSError:
            pass  # it has died, which its parent is told

    def _answer(self, rank: int, words: dict) -> str:
        command = words.get("cmd", "")
        if command == "init":
            return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
        if command == "get_maxes":
            return "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=4096"
        if command == "get_appnum":
            return "cmd=appnum rc=0 appnum=0"
        if command == "get_my_kvsname":
            return f"cmd=my_kvsname rc=0 kvsname={self.name}"
        if command == "get_universe_size":
            return f"cmd=universe_size rc=0 size={self.size}"
        if command == "put":
            self.published[words["key"]] = words["value"]
            return "cmd=put_result rc=0 msg=success"
        if command == "get":
            value = self.published.get(words["key"])
            if value is None:
                return "cmd=get_result rc=-1 msg=key_not_found"
            return f"cmd=get_result rc=0 msg=success value={value}"
        if command == "barrier_in":
            return self._arrive(rank)
        if command == "finalize":
            return "cmd=finalize_ack rc=0"
        if command == "abort":
            self.aborted = int(words.get("exitcode", "1"))
            return ""
        return f"cmd={command}_result rc=-1 msg=unknown"

    def _arrive(self, rank: int) -> str:
        self.arrived.add(rank)
        if len(self.arrived) == self.size:
            self.arrived.clear()
            for r in list(self.links):
                self._send(r, "cmd=barrier_out rc=0")
        return ""
