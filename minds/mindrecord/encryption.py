"""The settings of encrypted MindRecord files. minds writes and reads none: a key is refused."""

from __future__ import annotations

from ..base.errors import BackendError


def set_enc_key(enc_key: str | None) -> None:
    """Set the key that files are encrypted with. There is no encryption, so that only None passes.

    Args:
        enc_key (str, optional): 16, 24 or 32 characters, or None for files as they are.

    Raises:
        ValueError: it is no key.
        BackendError: it is one.

    Examples:
        >>> from minds import mindrecord
        >>> mindrecord.set_enc_key(None)
    """
    if enc_key is None:
        return
    if not isinstance(enc_key, str):
        raise ValueError("The input enc_key is not str.")
    if len(enc_key) not in (16, 24, 32):
        raise ValueError("The length of input enc_key is not 16, 24, 32.")
    raise BackendError(
        "minds neither encrypts nor decrypts MindRecord files: leave the key None, and encrypt the "
        "files, or the disk that they are on, with a program for that"
    )


def _check_mode(name: str, mode) -> None:
    if callable(mode):
        return
    if not isinstance(mode, str):
        raise ValueError(f"The input {name} is not str.")
    if mode != "AES-GCM":
        raise ValueError(f"The input {name} is invalid.")


def set_enc_mode(enc_mode="AES-GCM") -> None:
    """Set how files are encrypted; without a key, of no effect.

    Args:
        enc_mode (str, Callable): ``"AES-GCM"`` or a function. Default: ``"AES-GCM"``.

    Raises:
        ValueError: it is neither.

    Examples:
        >>> from minds import mindrecord
        >>> mindrecord.set_enc_mode("AES-GCM")
    """
    _check_mode("enc_mode", enc_mode)


def set_dec_mode(dec_mode="AES-GCM") -> None:
    """Set how files are decrypted; without a key, of no effect.

    Args:
        dec_mode (str, Callable, optional): ``"AES-GCM"``, a function or None. Default: ``"AES-GCM"``.

    Raises:
        ValueError: it is none of these.

    Examples:
        >>> from minds import mindrecord
        >>> mindrecord.set_dec_mode(None)
    """
    if dec_mode is not None:
        _check_mode("dec_mode", dec_mode)
