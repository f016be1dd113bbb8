-- How many rows there are, compared when a store is opened: rows that a damaged page takes with it leave no other trace.
INSERT INTO meta (key, value) SELECT 'total_' || name, total FROM (
    SELECT 'documents' AS name, (SELECT count(*) FROM documents) AS total
    UNION ALL SELECT 'versions', (SELECT count(*) FROM versions)
    UNION ALL SELECT 'passages', (SELECT count(*) FROM passages)
);

-- A document's text has a checksum of its own, so that its card can be read and checked without it.
ALTER TABLE versions ADD COLUMN text_sum BLOB;
UPDATE versions SET text_sum = row_sum('versions.text', text);

-- How many passages a version was cut into, so that one that lost some is noticed.
ALTER TABLE versions ADD COLUMN passage_count INTEGER;
UPDATE versions SET passage_count =
    (SELECT count(*) FROM passages p WHERE p.document = versions.document AND p.version = versions.number);
