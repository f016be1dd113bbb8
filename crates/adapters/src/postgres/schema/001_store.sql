-- Everything a store keeps, as the tables of its catalogue: the same names, the same columns, and `changed_at`, the change
-- that last wrote the row. Whoever follows asks for what was written after the change they have.
CREATE TABLE head (
    is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    changed_at bigint NOT NULL -- the last change; whoever writes locks this row
);
INSERT INTO head (changed_at) VALUES (0);

-- Rows that were taken out, by the names of their tables and their keys, a JSON array.
CREATE TABLE gone (
    changed_at bigint NOT NULL,
    table_name text NOT NULL,
    row_key    text NOT NULL,
    PRIMARY KEY (changed_at, table_name, row_key)
);

-- The highest number that each table of ever new numbers has given.
CREATE TABLE sqlite_sequence (
    name       text PRIMARY KEY,
    seq        bigint NOT NULL,
    changed_at bigint NOT NULL
);

CREATE TABLE meta (
    key        text PRIMARY KEY,
    value      text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE tenants (
    id         bigint PRIMARY KEY,
    name       text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED,
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE audiences (
    id         bigint PRIMARY KEY,
    tenant_id  bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    tags       text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL,
    UNIQUE (tenant_id, tags) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE shelves (
    id         bigint PRIMARY KEY,
    audience   bigint NOT NULL REFERENCES audiences (id) DEFERRABLE INITIALLY DEFERRED,
    collection text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL,
    UNIQUE (audience, collection) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE documents (
    key        bigint PRIMARY KEY,
    tenant_id  bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    id         text NOT NULL,
    source     text NOT NULL,
    version    bigint, -- NULL once removed
    sum        bytea,
    changed_at bigint NOT NULL,
    UNIQUE (tenant_id, id) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE versions (
    document      bigint NOT NULL REFERENCES documents (key) DEFERRABLE INITIALLY DEFERRED,
    number        bigint NOT NULL,
    hash          bytea NOT NULL,
    audience      bigint NOT NULL REFERENCES audiences (id) DEFERRABLE INITIALLY DEFERRED,
    title         text NOT NULL,
    kind          text NOT NULL,
    collection    text NOT NULL,
    status        text,
    date          text,
    label         text,
    owner         text,
    address       text,
    url           text,
    taken_in_ms   bigint NOT NULL,
    text          text NOT NULL,
    address_key   text,
    superseded_by text,
    sum           bytea,
    text_sum      bytea,
    passage_count bigint,
    changed_at    bigint NOT NULL,
    PRIMARY KEY (document, number)
);

CREATE TABLE version_topics (
    document   bigint NOT NULL,
    version    bigint NOT NULL,
    topic      text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL,
    PRIMARY KEY (document, version, topic)
);

CREATE TABLE readings (
    document   bigint PRIMARY KEY,
    version    bigint NOT NULL,
    digest     bytea NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE passages (
    key        bigint PRIMARY KEY,
    document   bigint NOT NULL,
    version    bigint NOT NULL,
    ordinal    bigint NOT NULL,
    audience   bigint NOT NULL REFERENCES audiences (id) DEFERRABLE INITIALLY DEFERRED,
    born       bigint NOT NULL,
    died       bigint,
    start_char bigint NOT NULL,
    end_char   bigint NOT NULL,
    section    text NOT NULL,
    address    text,
    text       text NOT NULL,
    times      text,
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE embeddings (
    passage    bigint PRIMARY KEY,
    vector     bytea NOT NULL, -- little-endian f32
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE vocabularies (
    key        bigint PRIMARY KEY,
    tenant_id  bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    source     text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE concepts (
    key        bigint PRIMARY KEY,
    vocabulary bigint NOT NULL,
    uri        text NOT NULL,
    concept    text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE labels (
    term       text NOT NULL,
    concept    bigint NOT NULL,
    shown      text,
    sum        bytea,
    changed_at bigint NOT NULL,
    PRIMARY KEY (term, concept)
);

CREATE TABLE memory (
    key        bigint PRIMARY KEY,
    tenant_id  bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    id         text NOT NULL,
    tags       text NOT NULL,
    entry      text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE memory_texts (
    entry      bigint NOT NULL,
    ordinal    bigint NOT NULL,
    text       text NOT NULL,
    language   text,
    vector     bytea NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL,
    PRIMARY KEY (entry, ordinal)
);

CREATE TABLE people (
    tenant_id  bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    id         text NOT NULL,
    email      text NOT NULL,
    tags       text NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE topics (
    tenant_id  bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    tag        text NOT NULL,
    owner      text,
    sum        bytea,
    changed_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, tag)
);

CREATE TABLE sent_questions (
    tenant_id   bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    id          text NOT NULL,
    query       text NOT NULL,
    topic       text,
    owner       text NOT NULL,
    sent_by     text NOT NULL,
    sent_ms     bigint NOT NULL,
    tags        text NOT NULL,
    document    text,
    answered_ms bigint,
    sum         bytea,
    changed_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- What documents are compared by; the look-up tables beside it follow from these rows and are made by whoever follows.
CREATE TABLE sketches (
    document    bigint PRIMARY KEY,
    version     bigint NOT NULL,
    is_compared bigint NOT NULL,
    signature   bytea NOT NULL,
    bands       bytea NOT NULL,
    sum         bytea,
    changed_at  bigint NOT NULL
);

CREATE TABLE claims (
    id         bigint PRIMARY KEY,
    document   bigint NOT NULL,
    version    bigint NOT NULL,
    start_char bigint NOT NULL,
    end_char   bigint NOT NULL,
    sentence   text NOT NULL,
    context    text NOT NULL,
    terms      bytea NOT NULL,
    sum        bytea,
    changed_at bigint NOT NULL
);

CREATE TABLE findings (
    tenant_id      bigint NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED,
    id             text NOT NULL,
    kind           text NOT NULL,
    left_document  bigint NOT NULL,
    left_version   bigint NOT NULL,
    left_start     bigint NOT NULL,
    left_end       bigint NOT NULL,
    left_sentence  text NOT NULL,
    right_document bigint NOT NULL,
    right_version  bigint NOT NULL,
    right_start    bigint NOT NULL,
    right_end      bigint NOT NULL,
    right_sentence text NOT NULL,
    likeness       bigint NOT NULL,
    found_ms       bigint NOT NULL,
    dismissed_by   text,
    dismissed_ms   bigint,
    sum            bytea,
    changed_at     bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

CREATE INDEX documents_by_change ON documents (changed_at);
CREATE INDEX versions_by_change ON versions (changed_at);
CREATE INDEX version_topics_by_change ON version_topics (changed_at);
CREATE INDEX readings_by_change ON readings (changed_at);
CREATE INDEX passages_by_change ON passages (changed_at);
CREATE INDEX embeddings_by_change ON embeddings (changed_at);
CREATE INDEX vocabularies_by_change ON vocabularies (changed_at);
CREATE INDEX concepts_by_change ON concepts (changed_at);
CREATE INDEX labels_by_change ON labels (changed_at);
CREATE INDEX memory_by_change ON memory (changed_at);
CREATE INDEX memory_texts_by_change ON memory_texts (changed_at);
CREATE INDEX people_by_change ON people (changed_at);
CREATE INDEX topics_by_change ON topics (changed_at);
CREATE INDEX sent_questions_by_change ON sent_questions (changed_at);
CREATE INDEX sketches_by_change ON sketches (changed_at);
CREATE INDEX claims_by_change ON claims (changed_at);
CREATE INDEX findings_by_change ON findings (changed_at);
