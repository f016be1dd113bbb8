-- Addresses in the one form every spelling shares, filled from `address` by the program that migrates.
ALTER TABLE versions ADD COLUMN address_key TEXT;
ALTER TABLE versions ADD COLUMN superseded_by TEXT;
CREATE INDEX versions_by_address ON versions (address_key) WHERE address_key IS NOT NULL;
CREATE INDEX versions_by_kind ON versions (kind COLLATE NOCASE);
