"""Every shipped example goes into an empty project of a running server, and its agents and tools are called alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from abl.project import Project
from actors.project_graph import graph_of
from cli.transfer import files_in
from domain.transfer import Entity, place_of
from tests.flows_gateway.test_transfer_commands import a_gateway, a_project, deployed
from tests.support.repository import PROJECTS
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("example", PROJECTS, ids=lambda path: path.name)
def test_the_agents_of_an_example_are_called_as_its_texts_declare(example: Path) -> None:
    texts = {str(path): path.read_text() for path in sorted(example.rglob("*")) if ".abl" in path.name}
    texts |= {str(path): path.read_text() for path in example.rglob("*.agent.yaml")}
    project = Project.from_files(texts)
    places = [place for path in files_in(str(example)) if (place := place_of(path)) is not None]
    assert {one.name for one in places if one.entity is Entity.AGENT} == set(project.agents)
    assert {one.name for one in places if one.entity is Entity.PROFILE} == set(project.profiles)
    libraries = {Path(path).name.removesuffix(".tools.abl") for path in project.libraries}
    assert {one.name for one in places if one.entity is Entity.TOOL} == libraries


async def test_every_example_is_deployed_with_one_command(servers: Servers, capsys: pytest.CaptureFixture[str]) -> None:
    async with a_gateway(servers, "examples-deployed") as gateway:
        for example in PROJECTS:
            project_id = await a_project(gateway, f"shipped-{example.name}")
            entry = graph_of(files_in(str(example))).entry_agent or ""
            done = await deployed(gateway, str(example), project_id, entry=entry, as_json=True)
            assert done == 0, capsys.readouterr().err
            printed = capsys.readouterr().out
            made = json.loads(printed[printed.index("{") :])
            assert set(made["agentVersionManifest"]) == set(Project.from_files(files_in(str(example))).agents)
            place = f"/api/projects/{project_id}/project-io/export/preview"
            found = (await gateway.call("GET", place)).json()
            assert found["dependencies"]["validation"] == {"valid": True, "errors": []}
            assert "unbound" not in {one["toolType"] for one in found["tools"]}, example.name


async def test_the_name_that_an_agent_does_not_declare_is_told_before_it_is_deployed(servers: Servers) -> None:
    async with a_gateway(servers, "misnamed") as gateway:
        project_id = await a_project(gateway, "misnamed-two")
        place = f"/api/projects/{project_id}"
        files = {"agents/other.abl": "AGENT: Desk\nGOAL: x\n"}
        assert (await gateway.call("POST", f"{place}/project-io/import", {"files": files})).status == 200
        found = (await gateway.call("GET", f"{place}/project-io/export/preview")).json()
        sentence = "The text declares Desk, and the agent is called other"
        assert found["dependencies"]["validation"] == {
            "valid": False,
            "errors": [f"agents/other.abl: {sentence}"],
        }
        body = {"environment": "dev", "agentVersionManifest": {"other": "auto"}, "entryAgentName": "other"}
        refused = (await gateway.call("POST", f"{place}/deployments", body)).json()["error"]
        assert refused["message"] == f"The project has 1 error: other:1: {sentence}"
