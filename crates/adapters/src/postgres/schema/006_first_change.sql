-- The change that a store begins with that is copied into this database: later than any of an earlier copy of it, whose changes begin
-- where that was begun.
ALTER TABLE copying ADD COLUMN IF NOT EXISTS first_change bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- The one that it began with. Whatever has come to an earlier change followed another copy.
ALTER TABLE head ADD COLUMN IF NOT EXISTS first_change bigint NOT NULL DEFAULT 0;
