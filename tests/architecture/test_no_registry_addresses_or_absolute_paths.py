"""The repository works anywhere: it names no package mirror and no folder of the machine it was written on."""

from __future__ import annotations

import re

import pytest

from tests.support.repository import ROOT, repository_files

# The brackets keep each pattern from finding itself.
REGISTRY = re.compile(
    r"--(?:extra-)?index[-]url|--find[-]links|--trusted[-]host|--registr[y]\b|\"resolved\": \"htt[p]"
    r"|\bpypi\.or[g]|files\.pythonhosted\.or[g]|registry\.npmjs\.or[g]"
)
PATH_OF_A_MACHINE = re.compile(r"(?<![\w./:}>*-])/(?:home|root|Users|work|opt|mnt)/[\w.-]|(?<![\w])[A-Z]:\\Users\\")
# Where the rule is written down: flags that are there to leave addresses out.
EXCEPTIONS = {"tools/lock.py": REGISTRY}


def faults(text: str, name: str = "") -> list[str]:
    patterns = [pattern for pattern in (REGISTRY, PATH_OF_A_MACHINE) if EXCEPTIONS.get(name) is not pattern]
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for number, line in enumerate(text.splitlines(), start=1)
        if any(pattern.search(line) for pattern in patterns)
    ]


def test_no_file_names_a_registry_or_a_folder_of_some_machine() -> None:
    found = [
        fault
        for path in repository_files()
        for fault in faults(path.read_bytes().decode("utf-8", errors="ignore"), path.relative_to(ROOT).as_posix())
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "parts",
    [
        ("--extra-index", "-url=x"),
        ("https://pypi.", "org/simple"),
        ('"resolved": "', 'https://mirror/left-pad.tgz"'),
        ('open("/ro', 'ot/notes.txt")'),
        ("see /ho", "me/ada/abl"),
    ],
)
def test_an_address_or_a_path_would_be_seen(parts: tuple[str, str]) -> None:
    assert faults("".join(parts))


@pytest.mark.parametrize("text", ["https://example.com/opt/1", "#!/usr/bin/env bash", "GET /api/v1/home/x", "./root/x"])
def test_urls_and_relative_paths_are_allowed(text: str) -> None:
    assert not faults(text)
