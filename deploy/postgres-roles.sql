-- The role that nodes of Vouch use: it reads and writes rows, and can change no table.
--
--   psql -d vouch -v password=SECRET -f postgres-roles.sql
--
-- Run it as the owner of the schema `vouch`, who also has to be allowed to make roles (CREATEROLE), once its tables are there (`vouch store migrate`), and again after each new
-- version of Vouch, since a migration may have added tables.
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'vouch_node') THEN
        CREATE ROLE vouch_node LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
    END IF;
END $$;
ALTER ROLE vouch_node PASSWORD :'password';
GRANT USAGE ON SCHEMA vouch TO vouch_node;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA vouch TO vouch_node;
REVOKE INSERT, UPDATE, DELETE ON vouch.migrations FROM vouch_node;

-- Where vectors are searched in this database (`dense: { engine: pgvector }`), nodes own a schema beside it, which holds nothing but
-- what can be made again. As a superuser:
--   CREATE EXTENSION vector; CREATE SCHEMA vouch_dense AUTHORIZATION vouch_node;
