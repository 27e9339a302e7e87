"""Starts the interpreter of Python tools confined, and says what of the confinement holds on this machine.

The pool of workers starts a program by its path alone, so there is a script between them: it has `confinement` give up
what can be given up and then becomes the interpreter. The workers of JavaScript tools confine themselves.
"""

from __future__ import annotations

import asyncio
import logging
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from providers.tools import confinement

log = logging.getLogger(__name__)

START_S: Final = 30.0
"""How long the first start of a confined program may take on a busy machine."""
_LAUNCH: Final = "import sys; sys.path.append(sys.argv[1]); import confinement; confinement.launch(sys.argv[2:])"
_FOLDER: Final = str(Path(confinement.__file__).resolve().parent)
CONFINED: Final = (sys.executable, "-I", "-S", "-c", _LAUNCH, _FOLDER)
"""The command that confines itself and becomes the program whose path and arguments follow."""
LIMITED: Final = (*CONFINED, confinement.LIMITS_ONLY)
"""The same with nothing but the limits of the kernel."""
SAY: Final = (*CONFINED, "--say")
_NAMES: Final[Mapping[str, str]] = {
    "limits": "limits of the kernel",
    "privileges": "no new privileges",
    "files": "no files",
    "account": "no account of root",
    "calls": "few system calls",
}


class ConfinedProgram:
    """A file that can be started in the place of a program; it is there until `remove`."""

    def __init__(self, program: str, how: Sequence[str] = ()) -> None:
        """`how` is the command that begins it: `CONFINED` when nothing is said, or `LIMITED`."""
        self._folder = Path(tempfile.mkdtemp(prefix="abl-sandbox-"))
        self.path = self._folder / "confined"
        command = shlex.join([*(how or CONFINED), program])
        self.path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        self.path.chmod(0o700)

    async def complaint(self, *arguments: str) -> str:
        """Return why the program cannot be started so; empty when it ends well with these arguments."""
        try:
            process = await asyncio.create_subprocess_exec(
                self.path,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        except OSError as error:
            return str(error)
        try:
            async with asyncio.timeout(START_S):
                said, _ = await process.communicate()
        except TimeoutError:
            return ""  # that the machine is slow is no reason to run unconfined
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        lines = said.decode(errors="replace").strip().splitlines() or [f"it ended with {process.returncode}"]
        return lines[-1] if process.returncode else ""

    def remove(self) -> None:
        """Take the file away; workers that run go on."""
        shutil.rmtree(self._folder, ignore_errors=True)


async def most_confined(program: str, *arguments: str) -> tuple[ConfinedProgram | None, str]:
    """Return what starts a program as confined as it runs, and what is lost by that; empty where nothing is.

    Args:
        program: Its path.
        arguments: With these it ends well by itself.
    """
    confined = ConfinedProgram(program)
    if not (complaint := await confined.complaint(*arguments)):
        return confined, ""
    confined.remove()
    limited = ConfinedProgram(program, LIMITED)
    if not (worse := await limited.complaint(*arguments)):
        return limited, f"only limits of the kernel hold, it does not start otherwise: {complaint}"
    limited.remove()
    return None, f"nothing holds: {complaint}; with limits of the kernel alone: {worse}"


def missing(said: str) -> dict[str, str]:
    """Return the measures that do not hold, by what they would be called, each with the reason.

    >>> missing("limits=\\nfiles=Landlock: Function not implemented\\n")
    {'no files': 'Landlock: Function not implemented'}
    """
    pairs = (line.partition("=") for line in said.splitlines())
    return {_NAMES[name]: why for name, _, why in pairs if why and name in _NAMES}


def what_is_missing() -> dict[str, str]:
    """Return the measures that do not hold on this machine, found by trying all of them in a process of its own."""
    try:
        done = subprocess.run(SAY, capture_output=True, text=True, timeout=START_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"confinement": str(error)}
    if done.returncode:
        return {"confinement": (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]}
    return missing(done.stdout)


async def tell_what_is_missing() -> None:
    """Have the log say once what the workers of code tools keep that they should not have."""
    found = await asyncio.to_thread(what_is_missing)
    if found:
        told = "; ".join(f"{name} ({why})" for name, why in found.items())
        log.warning("code tools are not confined as they should be, without: %s", told)
    else:
        log.info("code tools are confined: %s", ", ".join(_NAMES.values()))
