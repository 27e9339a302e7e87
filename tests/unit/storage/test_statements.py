from __future__ import annotations

import pytest

from storage.statements import Statement


def test_names_become_positions_in_the_order_of_their_first_mention() -> None:
    statement = Statement("SELECT :b, :a, :b::text")
    assert statement.sql == "SELECT $1, $2, $1::text"
    assert statement.names == ("b", "a")


def test_a_cast_is_no_name() -> None:
    assert Statement("SELECT '{}'::jsonb").names == ()


def test_arguments_stand_at_their_positions() -> None:
    assert Statement("SELECT :b, :a").arguments({"a": 1, "b": 2}) == [2, 1]


@pytest.mark.parametrize("given", [{}, {"a": 1, "b": 2}])
def test_a_missing_or_a_foreign_argument_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="expected the parameters"):
        Statement("SELECT :a").arguments(given)


def test_what_only_reads_may_be_repeated() -> None:
    assert Statement("WITH found AS (SELECT a FROM t) SELECT * FROM found").is_repeatable
    assert not Statement("WITH gone AS (DELETE FROM t RETURNING a) SELECT * FROM gone").is_repeatable
    assert not Statement("SELECT a FROM t FOR UPDATE").is_repeatable
    assert not Statement("SELECT nextval('s')").is_repeatable
