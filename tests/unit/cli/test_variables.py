"""Variables of a folder: which place counts, and what `abl check` says where none has a value. Decision: 0064."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from abl.editor import Workspace
from abl.variables import Variables, VariablesFault
from cli.lsp import config_of
from cli.main import app
from cli.variables import Given, folder_variables, told_unset

DESK = """AGENT: Desk
GOAL: Help
PERSONA: "Speaks for {{config.SHOP}}, {{config.CITY}}"
"""


def test_the_command_line_counts_before_the_environment_and_that_before_the_file() -> None:
    environment = {"ABL_CONFIG_A": "environment", "ABL_CONFIG_B": "environment", "ABL_ENV_URL": "environment"}
    file = Variables({"A": "file"}, {"URL": "file", "HOUSE": "file"})
    given = Given.of(environment, ["A=line", "env.NEW=line", "config.C=a=b"], file)
    assert given.config == {"A": "line", "B": "environment", "C": "a=b"}
    assert given.env == {"URL": "environment", "HOUSE": "file", "NEW": "line"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["A"], "write KEY=value"),
        (["=b"], "write KEY=value"),
        (["1A=b"], "is no name of a variable"),
        (["A=" + "x" * 5_000], "more than 4096"),
    ],
)
def test_an_option_of_another_form_is_refused_without_its_value(options: list[str], told: str) -> None:
    with pytest.raises(VariablesFault, match=told) as caught:
        Given.of({}, options)
    assert "xxx" not in str(caught.value)


def test_the_file_lies_beside_the_agents_folder(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "desk.agent.abl").write_text(DESK)
    (tmp_path / "variables.yaml").write_text("config: {SHOP: Tea}")
    assert folder_variables(tmp_path).config == {"SHOP": "Tea"}
    assert folder_variables(tmp_path / "agents" / "desk.agent.abl").config == {"SHOP": "Tea"}


def test_an_unset_env_variable_is_told_with_what_sets_it() -> None:
    (told,) = told_unset({"a.abl": "{{env.URL}} {{env.HOUSE}}"}, {"HOUSE": "secret"})
    assert told.startswith("a.abl:1: env.URL has no value")
    assert "ABL_ENV_URL" in told


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("ABL_CONFIG_SHOP", "ABL_CONFIG_CITY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "desk.agent.abl").write_text(DESK)
    return tmp_path


@pytest.mark.parametrize("path", [".", "agents/desk.agent.abl"])
def test_check_finds_a_use_without_a_value_with_file_and_line(
    project: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(*more: str) -> tuple[int, str]:
        outcome = CliRunner().invoke(app, ["check", path, *more])
        return outcome.exit_code, outcome.output

    status, told = check()
    assert status == 1
    assert "agents/desk.agent.abl:3:" in told
    assert [f"variable {name} in Desk has no value" in told for name in ("SHOP", "CITY")] == [True, True]
    assert "variables.yaml" in told
    (project / "variables.yaml").write_text("config:\n  SHOP: Tea\n")
    status, told = check()
    assert (status, "SHOP in Desk" in told, "CITY in Desk" in told) == (1, False, True)
    assert check("--set", "CITY=Rome")[0] == 0
    monkeypatch.setenv("ABL_CONFIG_CITY", "Rome")
    assert check()[0] == 0
    (project / "variables.yaml").write_text("shop: Tea\n")
    outcome = CliRunner().invoke(app, ["check", path])
    assert outcome.exit_code == 2
    assert "variables.yaml:1: nobody reads 'shop'" in outcome.output


def test_ir_has_the_values(project: Path) -> None:
    outcome = CliRunner().invoke(app, ["ir", ".", "--set", "SHOP=Tea", "--set", "CITY=Rome"])
    assert outcome.exit_code == 0
    assert "Speaks for Tea, Rome" in outcome.output


def test_an_editor_knows_the_values_too(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = (project / "agents" / "desk.agent.abl").as_posix()
    texts = Workspace(config_of)
    texts.update(path, DESK)
    (project / "variables.yaml").write_text("config: {SHOP: Tea, CITY: Rome}")
    assert texts.diagnostics(path) == []
    (project / "variables.yaml").write_text("config: {SHOP: Tea}")
    texts.update(path, DESK + "# again\n")
    assert ["CITY" in one.message for one in texts.diagnostics(path)] == [True]
    (project / "variables.yaml").write_text("[")
    texts.update(path, DESK)
    assert len(texts.diagnostics(path)) == 2
    assert "variables.yaml cannot be read" in caplog.text
