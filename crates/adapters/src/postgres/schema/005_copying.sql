-- A copy of a store into this database that is not finished. Nobody uses the database while there is a row, and whoever copies
-- goes on after the row that it names.
CREATE TABLE copying (
    is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    store_id   text NOT NULL,
    revision   bigint NOT NULL, -- how many changes the store's file had seen
    table_name text,            -- of the last row that was copied; NULL before the first
    row_key    text             -- its key, a JSON array
);
ALTER TABLE copying ENABLE ROW LEVEL SECURITY;
ALTER TABLE copying FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_whole_store ON copying USING (current_setting('vouch.tenant', true) = '*');
