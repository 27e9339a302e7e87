"""The secrets of tokens: of a setting, else of a file made at the first start."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.installation import TOKEN_SECRET_FILE, sandbox_tokens, token_secrets
from actors.settings import Settings
from domain.clock import CountingIds, FixedClock
from domain.errors import InvalidInput

NEW, OLD = "n" * 32, "o" * 32


def test_a_secret_is_made_once_and_older_ones_may_follow_it_in_its_file(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path))
    made = token_secrets(settings)
    assert len(made) == 1
    assert token_secrets(settings) == made
    (tmp_path / TOKEN_SECRET_FILE).write_text(f"{NEW}\n{made[0].decode()}\n", encoding="ascii")
    assert token_secrets(settings) == (NEW.encode(), *made)


def test_the_setting_comes_before_the_file(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), token_secrets=f"{NEW}, {OLD}")
    assert token_secrets(settings) == (NEW.encode(), OLD.encode())
    assert not (tmp_path / TOKEN_SECRET_FILE).exists()


@pytest.mark.parametrize("wrong", ["short", f"{NEW},short", " , "])
def test_a_short_secret_is_refused_by_the_name_of_its_variable(tmp_path: Path, wrong: str) -> None:
    settings = Settings(data_dir=str(tmp_path), token_secrets=wrong, sandbox_secret=wrong)
    with pytest.raises(InvalidInput, match="ABL_TOKEN_SECRETS"):
        token_secrets(settings)
    with pytest.raises(InvalidInput, match="ABL_SANDBOX_SECRET"):
        sandbox_tokens(settings, FixedClock(), CountingIds())
