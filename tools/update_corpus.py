"""Rewrites the expected results of the corpus, and says what changed. Review the difference: it is the specification.

Never run by tests. A sidecar with `by_hand` was corrected by hand because the language is wrong about its text: it is
left as it stands until the language gives what it says.
"""

from __future__ import annotations

import argparse
from fnmatch import fnmatch

from tools.corpus import BY_HAND, CORPUS, Case, cases, expected, results, written


def main() -> None:
    """Write the sidecars of the named cases (shell patterns such as `flow/*`), of all when none is named."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("patterns", nargs="*", default=["*"], help="names of cases, e.g. flow/* (default: all)")
    options.add_argument("--dry-run", action="store_true", help="only say what would change")
    given = options.parse_args()
    all_cases = cases()
    chosen = [case for case in all_cases if any(fnmatch(case.name, pattern) for pattern in given.patterns)]
    changed = sum(update(case, dry_run=given.dry_run) for case in chosen)
    known = {case.sidecar for case in all_cases}
    for path in sorted(CORPUS.rglob("*.expected.json")):
        if path not in known:
            print(f"no text: {path.relative_to(CORPUS).as_posix()}")
    print(f"{len(chosen)} cases, {changed} {'would change' if given.dry_run else 'changed'}")


def update(case: Case, *, dry_run: bool) -> bool:
    """Write one sidecar if it differs; return whether it does."""
    before, now = expected(case), results(case)
    differing = [key for key, value in now.items() if before.get(key) != value]
    if not differing and BY_HAND not in before:
        return False
    if differing and BY_HAND in before:
        print(f"by hand: {case.name} differs in {', '.join(differing)} ({before[BY_HAND]})")
        return False
    print(f"{'new' if not before else 'changed'}: {case.name}: {', '.join(differing) or 'no longer by hand'}")
    if not dry_run:
        case.sidecar.write_text(written(now), encoding="utf-8")
    return True


if __name__ == "__main__":
    main()
