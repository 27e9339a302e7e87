"""What a process gives up before code of others runs in it, so that who breaks out of the interpreter finds nothing.

Limits of the kernel everywhere; on Linux also: no new privileges, no files (Landlock), nobody's account instead of
root's, and a list of the system calls that are left (seccomp), on which there is no socket, no program, no process, and
nothing that writes to a disk. What a kernel does not allow is left out and said; nothing here fails for it.

Loaded by the workers themselves, in an interpreter without our packages: the standard library is all there is. As a
program (`launch`) it gives up what it can and becomes another program. Decision: 0062.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence

ADDRESS_SPACE_BYTES = 1 << 30
OPEN_FILES = 16
PROCESSOR_S = 60_000
"""Of one worker in all its runs: a thousand of 60 s; the interpreters keep the time of one run."""
LIMITS = (
    ("RLIMIT_CORE", 0),
    ("RLIMIT_FSIZE", 0),
    ("RLIMIT_NOFILE", OPEN_FILES),
    ("RLIMIT_AS", ADDRESS_SPACE_BYTES),
    ("RLIMIT_CPU", PROCESSOR_S),
    ("RLIMIT_MEMLOCK", 0),
    ("RLIMIT_MSGQUEUE", 0),
)
PROCESSES = "RLIMIT_NPROC"
LIMITS_ONLY = "--limits"
NOBODY = 65_534
SYSTEM_FILES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo")
"""What programs are linked against, and time zones; nothing there is a secret of anybody."""
MEASURES = ("limits", "privileges", "files", "account", "calls")

_MACHINE = os.uname().machine
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""Machine -> the kernel's word for it, and the column of `_NUMBERS`."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_LOAD, _AND, _IF_EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_LOW = 0xFFFFFFFF
_NUMBERS: Mapping[str, tuple[int, int]] = {
    "read": (0, 63),
    "write": (1, 64),
    "futex": (202, 98),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "madvise": (28, 233),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "brk": (12, 214),
    "setitimer": (38, 103),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "readv": (19, 65),
    "writev": (20, 66),
    "close": (3, 57),
    "lseek": (8, 62),
    "poll": (7, -1),
    "ppoll": (271, 73),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "gettid": (186, 178),
    "getpid": (39, 172),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "membarrier": (324, 283),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "set_tid_address": (218, 96),
    "arch_prctl": (158, -1),
    "pread64": (17, 67),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, -1),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, -1),
    "readlinkat": (267, 78),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "fcntl": (72, 25),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "tgkill": (234, 131),
    "openat": (257, 56),
    "clone": (56, 220),
    "clone3": (435, 435),
    "execveat": (322, 281),
}
"""System call -> its number on x86-64 and on aarch64, -1 where there is none; the frequent ones first."""
_RUNNING = tuple(_NUMBERS)[: tuple(_NUMBERS).index("membarrier") + 1]
"""What computes, waits, and speaks over what is open already."""
_STARTING = tuple(_NUMBERS)[len(_RUNNING) : tuple(_NUMBERS).index("fcntl")]
"""What a program needs beside to be loaded."""
_READ_ONLY = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_NONBLOCK | 0o100000
_THREAD = 0x10000
_QUESTIONS_OF_FCNTL = (1, 2, 3)  # F_GETFD, F_SETFD, F_GETFL
_NAMES_OF_PRCTL = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA

_CREATE_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446
_EXECUTE, _READ_FILE, _READ_DIR = 1, 4, 8
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""Version of Landlock -> the rights on files that it knows of."""
_CONNECTIONS_SINCE, _SCOPES_SINCE = 4, 6

Condition = tuple[int, str, int]
"""The number of an argument, what is asked of it, and of which value: `is`, `has` all bits, `only` these bits."""
Instruction = tuple[int, int, int, int]


def confine(
    *, readable: Sequence[str] = (), may_start: tuple[int, int] | None = None, processes: int | None = 0
) -> dict[str, str]:
    """Give up what this process can do without; return each measure with why it does not hold, empty where it does.

    Args:
        readable: Files, and folders with all in them, that may still be read and executed.
        may_start: Addresses of the arguments and the environment with which one more program is started; None for none.
        processes: How many processes the account may have; None where threads have to be started.
    """
    if sys.platform != "linux":
        other = f"not on {sys.platform}"
        return {**dict.fromkeys(MEASURES, other), "limits": _limit(processes)}
    libc = ctypes.CDLL(None, use_errno=True)
    told = dict.fromkeys(MEASURES, "")
    told["privileges"] = _done(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    told["files"] = _hide_files(libc, readable)
    told["account"] = _leave_account()
    told["limits"] = _limit(processes)
    told["calls"] = _bar_calls(libc, may_start)
    return told


def launch(arguments: Sequence[str]) -> None:
    """Become the program that is named first, with the others as its arguments, confined; never returns.

    `--say` in its place tells of each measure, a line each, why it does not hold. Behind `--limits` it only takes the
    limits of the kernel with it: where a program does not start with all that is given up.

    Raises:
        OSError: There is no such program, or it may not be started.
    """
    if arguments[0] == "--say":
        for name, why in confine().items():
            sys.stdout.write(f"{name}={why}\n")
        return
    os.closerange(3, _open_files())
    if arguments[0] == LIMITS_ONLY:
        _limit(None)
        os.execve(arguments[1], list(arguments[1:]), {})
    if sys.platform != "linux" or _MACHINE not in _ARCHITECTURES:
        confine(readable=[arguments[0], *SYSTEM_FILES], processes=None)
        os.execve(arguments[0], list(arguments), {})
    number = _NUMBERS["execveat"][_ARCHITECTURES[_MACHINE][1]]
    libc = ctypes.CDLL(None, use_errno=True)
    program = os.open(arguments[0], os.O_RDONLY | os.O_CLOEXEC)  # before its folder is out of reach
    argv, environment = _somewhere(libc, [os.fsencode(one) for one in arguments]), _somewhere(libc, [])
    confine(readable=[arguments[0], *SYSTEM_FILES], may_start=(argv, environment), processes=None)
    here = ctypes.c_long(0x1000)  # AT_EMPTY_PATH
    libc.syscall(ctypes.c_long(number), ctypes.c_long(program), b"", ctypes.c_void_p(argv),
                 ctypes.c_void_p(environment), here)  # fmt: skip
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), arguments[0])


def _done(result: int) -> str:
    return "" if result == 0 else os.strerror(ctypes.get_errno())


def _open_files() -> int:
    return min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 20)


def _limit(processes: int | None) -> str:
    """Set the limits of the kernel; return those that it does not set."""
    wanted = [*LIMITS, *([(PROCESSES, processes)] if processes is not None else [])]
    failed = []
    for name, value in wanted:
        kind = getattr(resource, name, None)
        if kind is None:
            continue  # the system knows no such thing
        try:
            highest = resource.getrlimit(kind)[1]
            bounded = value if highest == resource.RLIM_INFINITY else min(value, highest)
            resource.setrlimit(kind, (bounded, bounded))
        except (OSError, ValueError) as error:
            failed.append(f"{name}: {error}")
    return ", ".join(failed)


def _leave_account() -> str:
    """Become nobody when this is root."""
    if os.geteuid() != 0:
        return ""
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        return str(error)
    return ""


def _hide_files(libc: ctypes.CDLL, readable: Iterable[str]) -> str:
    """Have no file but these be opened from now on, and where the kernel knows how, no connection made."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if version < 1:
        return f"Landlock: {os.strerror(ctypes.get_errno())}"
    rights = max(bits for since, bits in _FILE_RIGHTS.items() if since <= version)
    connections = 3 if version >= _CONNECTIONS_SINCE else 0
    scopes = 3 if version >= _SCOPES_SINCE else 0
    told = struct.pack("=QQQ", rights, connections, scopes)
    size = 24 if version >= _SCOPES_SINCE else 16 if version >= _CONNECTIONS_SINCE else 8
    rules = libc.syscall(_CREATE_RULESET, told, ctypes.c_size_t(size), ctypes.c_uint32(0))
    if rules < 0:
        return f"Landlock: {os.strerror(ctypes.get_errno())}"
    try:
        for path in readable:
            _open_up(libc, rules, path)
        return _done(libc.syscall(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint32(0)))
    finally:
        os.close(rules)


def _open_up(libc: ctypes.CDLL, rules: int, path: str) -> None:
    """Let a file, or a folder with all in it, be read and executed; nothing when it is not there."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = _EXECUTE | _READ_FILE
        rule = struct.pack("=Qi", rights, place)
        libc.syscall(_ADD_RULE, ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint32(0))
    finally:
        os.close(place)


def _somewhere(libc: ctypes.CDLL, texts: Sequence[bytes]) -> int:
    """Return the address, which nobody can guess, of a list of texts as a program's start takes it."""
    libc.mmap.restype = ctypes.c_void_p
    numbers = ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *numbers]
    kept = [ctypes.create_string_buffer(text) for text in texts]
    _KEPT.extend(kept)
    table = struct.pack(f"={len(kept) + 1}Q", *(ctypes.addressof(one) for one in kept), 0)
    page = resource.getpagesize()
    bytes_ = (len(table) // page + 2) * page
    hint = (_random(33) + (1 << 20)) * 4_096  # any page below 2^46
    place = libc.mmap(hint, bytes_, 3, 0x22, -1, 0)
    if place in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "no memory for the arguments of a program")
    address = int(place) + _random(9) * 8
    ctypes.memmove(address, table, len(table))
    return address


_KEPT: list[object] = []


def _random(bits: int) -> int:
    return int.from_bytes(os.urandom(8), "little") >> (64 - bits)


def _bar_calls(libc: ctypes.CDLL, may_start: tuple[int, int] | None) -> str:
    """Leave this process the system calls that it needs, and those to start one program when it may."""
    known = _ARCHITECTURES.get(_MACHINE)
    if known is None:
        return f"no list of system calls for {_MACHINE}"
    rules: dict[str, list[tuple[Condition, ...]]] = {name: [()] for name in _RUNNING}
    rules["tgkill"] = [((0, "is", os.getpid()),)]  # how a program that fails ends itself
    if may_start is not None:
        rules.update({name: [()] for name in _STARTING})
        rules["fcntl"] = [((1, "is", one),) for one in _QUESTIONS_OF_FCNTL]
        rules["prctl"] = [((0, "is", one),) for one in _NAMES_OF_PRCTL]
        rules["prlimit64"] = [((0, "is", 0), (2, "is", 0))]
        rules["openat"] = [((2, "only", _READ_ONLY),)]
        rules["clone"] = [((0, "has", _THREAD),)]
        rules["execveat"] = [((2, "is", may_start[0]), (3, "is", may_start[1]))]
    program = _program(rules, known[0], known[1])
    code = b"".join(struct.pack("=HBBI", *one) for one in program)
    kept = ctypes.create_string_buffer(code)
    header = struct.pack("@HP", len(program), ctypes.addressof(kept))
    return _done(libc.prctl(_SET_SECCOMP, _FILTER_MODE, header, 0, 0))


def _program(rules: Mapping[str, Sequence[tuple[Condition, ...]]], architecture: int, column: int) -> list[Instruction]:
    """Return the filter: a call passes when all conditions of one of its rules hold."""
    refuse = _REFUSE | errno.EPERM
    found: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, refuse),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for name, alternatives in rules.items():
        number = _NUMBERS[name][column]
        if number < 0:
            continue
        body = [one for conditions in alternatives for one in _alternative(conditions)]
        if () in alternatives:
            body = [(_RETURN, 0, 0, _ALLOW)]
        else:
            body.append((_RETURN, 0, 0, refuse))
        found += [(_IF_EQUAL, 0, len(body), number), *body]
    unknown = _REFUSE | errno.ENOSYS  # the C library takes `clone` then, whose flags can be looked at
    found += [(_IF_EQUAL, 0, 1, _NUMBERS["clone3"][column]), (_RETURN, 0, 0, unknown), (_RETURN, 0, 0, refuse)]
    return found


def _alternative(conditions: Sequence[Condition]) -> list[Instruction]:
    """Return what lets a call pass when all conditions hold, and goes on behind itself when one does not."""
    tests: list[list[Instruction]] = []
    for place, asked, value in conditions:
        low, high = _ARGUMENTS_AT + 8 * place, _ARGUMENTS_AT + 8 * place + 4
        if asked == "is":
            tests.append([(_LOAD, 0, 0, low), (_IF_EQUAL, 0, 0, value & _LOW)])
            tests.append([(_LOAD, 0, 0, high), (_IF_EQUAL, 0, 0, value >> 32)])
        elif asked == "has":
            tests.append([(_LOAD, 0, 0, low), (_AND, 0, 0, value), (_IF_EQUAL, 0, 0, value)])
        else:
            tests.append([(_LOAD, 0, 0, low), (_AND, 0, 0, _LOW & ~value), (_IF_EQUAL, 0, 0, 0)])
    flat = [one for test in tests for one in test]
    flat.append((_RETURN, 0, 0, _ALLOW))
    end = len(flat)
    return [
        (code, 0, end - at - 1, value) if code == _IF_EQUAL else (code, yes, no, value)
        for at, (code, yes, no, value) in enumerate(flat)
    ]
