-- Feedback may have a rating of 1 to 5 beside the thumb, or in its place. A table cannot let go of NOT NULL, so the rows are
-- copied; what is sound is sealed again by the migrating program, and what is damaged keeps the checksum that shows it.
DROP TRIGGER feedback_sum_insert;
DROP TRIGGER feedback_sum_before;
DROP TRIGGER feedback_sum_update;
DROP VIEW checked_feedback;

CREATE TABLE feedback_next (
    place      INTEGER NOT NULL REFERENCES entries (place) ON DELETE CASCADE,
    asker      TEXT NOT NULL,
    at_ms      INTEGER NOT NULL,
    is_helpful INTEGER,
    comment    TEXT,
    sum        BLOB,
    rating     INTEGER, -- 1 to 5
    PRIMARY KEY (place, asker)
) STRICT, WITHOUT ROWID;
INSERT INTO feedback_next (place, asker, at_ms, is_helpful, comment, sum)
    SELECT place, asker, at_ms, is_helpful, comment,
           CASE WHEN row_is_damaged(sum, 'feedback', place, asker, at_ms, is_helpful, comment) THEN coalesce(sum, x'') END
    FROM feedback;
DROP TABLE feedback;
ALTER TABLE feedback_next RENAME TO feedback;
