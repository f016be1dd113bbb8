-- A second wall behind Vouch's own checks: a connection sees rows only once it has said whose rows it works on. Whoever copies the
-- whole store says '*'.
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT table_name FROM information_schema.columns
                WHERE table_schema = 'vouch' AND column_name = 'changed_at' AND table_name <> 'head' LOOP
        EXECUTE format('ALTER TABLE vouch.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE vouch.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_the_whole_store ON vouch.%I '
                       'USING (current_setting(''vouch.tenant'', true) = ''*'')', name);
    END LOOP;
END $$;
