"""The words of the system: plain values for every package; standard library and msgspec only, nothing waits."""
