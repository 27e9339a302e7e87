-- Rows that 0005 has carried over are numbered by their messages, newer ones by the journal: the two may not meet.
UPDATE transcripts SET seq = seq - 1000000000;
