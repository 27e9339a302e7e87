"""Who is alive, where, and what happens when they die: grains, hosts, the directory, and the composition root."""
