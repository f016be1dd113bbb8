-- One caller's newest entries are found without looking at those of others.
CREATE INDEX entries_by_asker ON entries (tenant, asker);
