-- A copy of a store into this database that is not finished. Nobody uses the database while there is a row, and whoever copies
-- goes on after the row that it names.
CREATE TABLE copying (
    is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    store_id   text NOT NULL,
    revision   bigint NOT NULL, -- how many changes the store's file had seen
    -- The change that the store begins with here: later than any of an earlier copy of it, whose changes begin where that was begun.
    first_change bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    table_name text,            -- of the last row that was copied; NULL before the first
    row_key    text             -- its key, a JSON array
);
ALTER TABLE copying ENABLE ROW LEVEL SECURITY;
ALTER TABLE copying FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_whole_store ON copying USING (current_setting('vouch.tenant', true) = '*');

-- The change that a store began with that was copied here. Whatever has come to an earlier one followed another copy of it.
ALTER TABLE head ADD COLUMN first_change bigint NOT NULL DEFAULT 0;
