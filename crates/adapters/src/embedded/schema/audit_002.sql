-- A tenant's newest entries are found without looking at those of others; `place` is part of every index.
CREATE INDEX entries_by_tenant ON entries (tenant);
