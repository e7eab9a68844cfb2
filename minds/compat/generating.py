"""`ops_generate.common.gen_utils`: what MindSpore's test helpers read its tables of ops with."""

from __future__ import annotations

import importlib

from ..base.errors import complain


def safe_load_yaml(yaml_file_path: str):
    """What a YAML file holds.

    Args:
        yaml_file_path (str): its path, which ends in ``.yaml``.

    Raises:
        ValueError: the path ends otherwise.
        ImportError: PyYAML is not installed.

    Examples:
        >>> from minds.ops_generate.common.gen_utils import safe_load_yaml
        >>> try:
        ...     safe_load_yaml("ops.txt")
        ... except ValueError as e:
        ...     print(str(e).splitlines()[0])
        safe_load_yaml: the path is 'ops.txt'
    """
    if not yaml_file_path.endswith(".yaml"):
        raise complain(
            ValueError,
            f"safe_load_yaml: the path is {yaml_file_path!r}",
            expected="a path that ends in .yaml",
        )
    try:
        yaml = importlib.import_module("yaml")
    except ImportError:
        what = "safe_load_yaml: the package PyYAML is missing"
        raise complain(ImportError, what, cure="pip install pyyaml") from None
    with open(yaml_file_path, encoding="utf-8") as file:
        return yaml.safe_load(file)


__all__ = ["safe_load_yaml"]
