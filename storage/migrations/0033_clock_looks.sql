-- When upkeep last looked at the clock, and since when no look has found a leap (storage/steadiness.py).
CREATE TABLE clock_looks (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    seen_at timestamptz NOT NULL,
    steady_since timestamptz NOT NULL
);
INSERT INTO clock_looks (seen_at, steady_since) VALUES (clock_timestamp(), 'epoch');
