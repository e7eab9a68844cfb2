"""Encrypted files: bytes that only a key opens, as MindSpore writes them.

A file is a row of blocks, each of at most 64 MiB of content:

    bytes  content
    4      the mode: 7f3a5ed8 AES-GCM, 7f3a5ed9 AES-CBC, 7f3a5eda SM4-CBC
    16     in GCM only: the tag
    4      the bytes of the block that follow
    4, n   a number used once of n = 16 bytes, after its length
    4, n   the ciphertext after its length; in CBC padded by PKCS #7

Numbers are little endian. In GCM a changed block, or another key, is told by the tag; in CBC it may
be by the padding, and else what is inside must tell. The ciphers are those of the package
``cryptography``, which is imported when there is a key.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

from .errors import complain

MODES = {"AES-GCM": 0x7F3A5ED8, "AES-CBC": 0x7F3A5ED9, "SM4-CBC": 0x7F3A5EDA}
_SIZES = {"AES": (16, 24, 32), "SM4": (16,)}
_BLOCK = 1 << 26
_ONCE = _TAG = 16
_NONCE = 12  # what GCM uses of it
_NUMBER = struct.Struct("<I")


class WrongKey(ValueError):
    """What is wrong with an encrypted file, a key or a mode."""


class Seal:
    """A key and how it is used.

    Args:
        op (str): who asks, for messages.
        key (bytes): 16, 24 or 32 bytes; 16 for SM4.
        mode (str): one of `MODES`.
        names (tuple[str, str]): how the two arguments are called, for messages.

    Raises:
        TypeError: ``key`` is not bytes, or ``mode`` no str.
        ValueError: the key has another length, or the mode is unknown.
        ImportError: the package ``cryptography`` is not installed.
    """

    def __init__(self, op: str, key: bytes, mode: str, names=("enc_key", "enc_mode")):
        for name, value, kind in zip(names, (key, mode), (bytes, str)):
            if not isinstance(value, kind):
                what = f"{op}: {name} has type {type(value).__name__}"
                raise complain(TypeError, what, expected=kind.__name__)
        if mode not in MODES:
            raise complain(ValueError, f"{op}: {names[1]} is {mode!r}", expected=", ".join(MODES))
        self.mode, self._key = mode, key
        self._cipher, self._work = mode.split("-")
        sizes = _SIZES[self._cipher]
        if len(key) not in sizes:
            wanted = " or ".join(map(str, sizes)) + f" bytes for {mode}"
            raise complain(ValueError, f"{op}: {names[0]} has {len(key)} bytes", expected=wanted)
        try:
            from cryptography.hazmat.primitives import ciphers
            from cryptography.hazmat.primitives.padding import PKCS7
        except ImportError:
            what = f"{op}: encryption needs the package cryptography"
            raise complain(ImportError, what, cure='pip install "minds[encryption]"') from None
        self._library, self._padding = ciphers, PKCS7(128)

    def _made(self, once: bytes, tag: bytes | None = None):
        algorithm = getattr(self._library.algorithms, self._cipher)(self._key)
        modes = self._library.modes
        work = modes.CBC(once) if self._work == "CBC" else modes.GCM(once[:_NONCE], tag)
        return self._library.Cipher(algorithm, work)

    def closed(self, data: bytes) -> bytes:
        """``data`` as the content of an encrypted file."""
        view = memoryview(data)
        return b"".join(
            part for i in range(0, len(data), _BLOCK) for part in self._block(view[i : i + _BLOCK])
        )

    def _block(self, data: memoryview) -> Iterator[bytes]:
        once = os.urandom(_ONCE)
        cipher = self._made(once).encryptor()
        if self._work == "CBC":
            pad = self._padding.padder()
            data = pad.update(bytes(data)) + pad.finalize()
        text = cipher.update(data) + cipher.finalize()
        yield _NUMBER.pack(MODES[self.mode])
        if self._work == "GCM":
            yield cipher.tag
        yield _NUMBER.pack(2 * _NUMBER.size + _ONCE + len(text))
        yield from (_NUMBER.pack(_ONCE), once, _NUMBER.pack(len(text)), text)

    def opened(self, data: bytes) -> bytes:
        """What `closed` was given, here or in MindSpore.

        Raises:
            WrongKey: the file is not encrypted, or damaged, or key or mode are others.
        """
        if not is_sealed(data):
            raise WrongKey("it is not encrypted")
        return b"".join(self._blocks(memoryview(data)))

    def _blocks(self, data: memoryview) -> Iterator[bytes]:
        """The plain texts of the blocks."""
        at, tag = 0, _TAG * (self._work == "GCM")

        def take(count: int) -> bytes:
            nonlocal at
            at += count
            if at > len(data):
                raise WrongKey("it is damaged: it ends within a block")
            return bytes(data[at - count : at])

        def number() -> int:
            return _NUMBER.unpack(take(_NUMBER.size))[0]

        while at < len(data):
            found = _NAMES.get(number())
            if found is None:
                raise WrongKey("it is damaged: a block has no mark")
            if found != self.mode:
                raise WrongKey(f"it is encrypted by {found}, not by {self.mode}")
            tagged, size, begin = take(tag), number(), at
            once = take(number())
            text = take(number())
            if at - begin != size or len(once) != _ONCE:
                raise WrongKey("it is damaged: a block has another length")
            yield self._plain(once, text, tagged or None)

    def _plain(self, once: bytes, text: bytes, tag: bytes | None) -> bytes:
        """The plain text of a block."""
        try:
            cipher = self._made(once, tag).decryptor()
            data = cipher.update(text) + cipher.finalize()
            if self._work == "GCM":
                return data
            pad = self._padding.unpadder()
            return pad.update(data) + pad.finalize()
        except Exception as e:  # the package's own classes
            raise WrongKey("the key is another one, or it is damaged") from e


_NAMES = {mark: name for name, mark in MODES.items()}


def is_sealed(head: bytes) -> bool:
    """Whether a file that begins so is encrypted."""
    return int.from_bytes(head[:4], "little") in _NAMES


def seal_of(op: str, key, mode, names=("enc_key", "enc_mode")) -> Seal | None:
    """None without a key."""
    return None if key is None else Seal(op, key, mode, names)


__all__ = ["MODES", "Seal", "WrongKey", "is_sealed", "seal_of"]
