-- A provider of models is its tenant's default where somebody has said so. Those that were kept before stay what they
-- were: of them all, the oldest that has a model is asked.
ALTER TABLE model_providers ADD COLUMN is_default boolean NOT NULL DEFAULT true;
ALTER TABLE model_providers ALTER COLUMN is_default SET DEFAULT false;
