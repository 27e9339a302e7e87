-- Packed values and texts that no condition compares: ANALYZE kept some hundred of each beside the tables, for no plan.
ALTER TABLE journal ALTER COLUMN facts SET STATISTICS 0;
ALTER TABLE traces ALTER COLUMN events SET STATISTICS 0;
ALTER TABLE snapshots ALTER COLUMN state SET STATISTICS 0;
ALTER TABLE transcripts ALTER COLUMN spoke SET STATISTICS 0, ALTER COLUMN answer SET STATISTICS 0,
    ALTER COLUMN details SET STATISTICS 0;
ALTER TABLE turns ALTER COLUMN reply SET STATISTICS 0;
ALTER TABLE sessions ALTER COLUMN pin SET STATISTICS 0;
