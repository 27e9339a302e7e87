-- What a stored response told beside its text (metadata, usage ...), with the head that has its name: sealed JSON, or JSON
-- where nothing is sealed.
ALTER TABLE conversation_heads ADD COLUMN about bytea;
