from __future__ import annotations

from actors.catalogue import catalogue_of, environment_of, within
from storage.repositories.catalogue import CatalogueEntry
from tests.support.sessions import PIN

FILES = {
    "a.abl": "AGENT: A",
    "connectors.yaml": "crm: {base_url: 'https://a', environments: {staging: {base_url: 'https://b'}}}",
    "mcp_servers.yaml": "",
    "tools/workflows.yaml": "pay: {}",
}


def test_the_files_beside_the_texts_are_the_catalogue_and_no_others() -> None:
    entry = {"base_url": "https://a", "environments": {"staging": {"base_url": "https://b"}}}
    assert catalogue_of(FILES) == [CatalogueEntry("connector", "crm", entry)]
    assert within(entry, "staging") == {"base_url": "https://b"}
    assert within(entry, "production") == {"base_url": "https://a"}


def test_sessions_on_the_drafts_use_what_holds_for_dev() -> None:
    assert environment_of(PIN) == "dev"
