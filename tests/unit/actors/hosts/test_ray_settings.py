import subprocess
import sys

from actors.hosts.ray_settings import ENVIRONMENT, OBJECT_STORE_BYTES, given_cluster, namespace_of, own_cluster
from actors.settings import Settings

OWN = own_cluster(Settings(database_url="postgresql://a"), "/tmp/abl-ray-x", cores=2, hosts=3)


def test_a_ray_of_our_own_is_private_small_and_on_loopback() -> None:
    assert OWN["address"] == "local"
    assert OWN["_node_ip_address"] == "127.0.0.1"
    assert OWN["_temp_dir"] == "/tmp/abl-ray-x"
    assert OWN["include_dashboard"] is False
    assert OWN["object_store_memory"] == OBJECT_STORE_BYTES < 100 * 1024**2
    assert OWN["log_to_driver"] is False


def test_nothing_is_reported_and_a_token_is_asked_for() -> None:
    assert ENVIRONMENT["RAY_USAGE_STATS_ENABLED"] == "0"
    assert ENVIRONMENT["RAY_AUTH_MODE"] == "token"


def test_it_has_room_for_the_hosts_that_are_wanted_and_for_dedicated_ones() -> None:
    resources = OWN["resources"]
    assert resources["session_host"] == 3
    assert resources["dedicated_host"] == Settings().max_dedicated
    growing = own_cluster(Settings(max_hosts=9), "", cores=2, hosts=3)
    assert growing["resources"]["session_host"] == 9


def test_of_a_cluster_that_is_given_only_the_address_is_said() -> None:
    given = given_cluster(Settings(ray_address="10.0.0.1:6379"))
    assert given["address"] == "10.0.0.1:6379"
    assert not {"num_cpus", "resources", "_temp_dir", "object_store_memory"} & given.keys()


def test_two_installations_on_one_cluster_do_not_see_each_other() -> None:
    assert namespace_of(Settings(database_url="postgresql://a")) != namespace_of(
        Settings(database_url="postgresql://b")
    )


def test_ray_is_not_loaded_by_anything_but_its_own_module() -> None:
    program = (
        "import sys, actors.wiring, actors.hosts.ray_settings, actors.hosts.stale_ray; sys.exit('ray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
