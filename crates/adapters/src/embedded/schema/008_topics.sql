-- What a version of a document is about, by its author's word; no row where it names nothing. The tags of its audience say
-- who may see it, and the table of tags only repeated them.
DROP VIEW checked_tags;
DROP TABLE tags;
CREATE TABLE version_topics (
    document INTEGER NOT NULL,
    version  INTEGER NOT NULL,
    topic    TEXT NOT NULL,
    PRIMARY KEY (document, version, topic)
) STRICT, WITHOUT ROWID;
