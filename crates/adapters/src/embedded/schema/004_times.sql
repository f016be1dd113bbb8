-- When the words of a passage are spoken: a JSON array of [character, second]; NULL where nothing is.
ALTER TABLE passages ADD COLUMN times TEXT;
