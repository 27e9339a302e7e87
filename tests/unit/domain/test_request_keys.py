from __future__ import annotations

import itertools

from domain.request_keys import Use, owned_key, owner_of_key

USES: tuple[Use, ...] = ("turn", "open", "name", "file")


def test_a_key_is_another_one_for_each_use_owner_and_key() -> None:
    owners = [owner_of_key("user", "usr_1"), owner_of_key("user", "usr_2"), owner_of_key("sdk", "usr_1")]
    owners += [owner_of_key("api_key", "key_1"), owner_of_key("api_key", "key_1", "usr_1"), ""]
    wanted = list(itertools.product(USES, owners, ["1", "2"]))
    assert len({owned_key(*one) for one in wanted}) == len(wanted)
    assert owned_key("turn", owners[0], "1") == owned_key("turn", owners[0], "1")


def test_an_api_key_counts_for_nothing_and_the_person_it_names_for_all() -> None:
    assert owner_of_key("api_key", "key_old") == owner_of_key("api_key", "key_rotated")
    assert owner_of_key("api_key", "key_old", "con_1") != owner_of_key("api_key", "key_old", "con_2")
    assert owner_of_key("user", "usr_1", "con_1") == owner_of_key("user", "usr_1", "con_2")


def test_parts_do_not_run_into_one_another() -> None:
    assert owned_key("turn", "user:a", "b") != owned_key("turn", "user:", "ab")
    assert owned_key("turn", 'user:a","b', "c") != owned_key("turn", "user:a", 'b","c')
    assert owned_key("turn", "user:usr_1", "") == ""
