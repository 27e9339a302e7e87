import pytest

from actors.placement import (
    SIZES,
    ActorKind,
    Placement,
    actor_options,
    dedicated_host,
    is_dedicated,
    kind_of,
    node_resources,
    placement_of,
    slot_host,
)
from domain.errors import InvalidInput


def test_sessions_share_hosts_unless_their_deployment_says_otherwise() -> None:
    assert placement_of({}) is Placement.PACKED
    assert placement_of({"placement": "packed"}) is Placement.PACKED
    assert placement_of({"placement": "dedicated"}) is Placement.DEDICATED


@pytest.mark.parametrize("value", ["shared", "", None, 3, ["dedicated"]])
def test_another_placement_is_refused_with_the_two_that_there_are(value: object) -> None:
    with pytest.raises(InvalidInput, match="neither packed nor dedicated"):
        placement_of({"placement": value})


@pytest.mark.parametrize("kind", ActorKind)
def test_every_kind_asks_for_one_of_its_own_resource_and_finds_it_on_a_small_node(kind: ActorKind) -> None:
    options = actor_options(kind)
    assert options["resources"] == {kind.value: 1}
    assert options["num_cpus"] == SIZES[kind].cpus
    assert node_resources(1)[kind.value] >= 1


def test_a_dedicated_host_is_known_by_its_id() -> None:
    home = dedicated_host("sess_1")
    assert is_dedicated(home)
    assert not is_dedicated(slot_host(0))
    assert kind_of(home) is ActorKind.DEDICATED_HOST
    assert kind_of(slot_host(3)) is ActorKind.SESSION_HOST
