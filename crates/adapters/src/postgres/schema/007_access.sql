-- Who could see documents that are gone, and what people have set of documents, as in a data folder.
CREATE TABLE past_access (
    tenant_id  bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    kind       text NOT NULL,
    name       text NOT NULL,
    tags       text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, kind, name)
);
CREATE INDEX past_access_by_change ON past_access (changed_at);

CREATE TABLE edits (
    document   bigint NOT NULL,
    field      text NOT NULL,
    value      text,
    stated     text,
    set_by     text NOT NULL,
    set_ms     bigint NOT NULL,
    generation bigint NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL,
    PRIMARY KEY (document, field)
);
CREATE INDEX edits_by_change ON edits (changed_at);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['past_access', 'edits'] LOOP
        EXECUTE format('ALTER TABLE vouch.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE vouch.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_the_whole_store ON vouch.%I '
                       'USING (current_setting(''vouch.tenant'', true) = ''*'')', name);
    END LOOP;
END $$;
