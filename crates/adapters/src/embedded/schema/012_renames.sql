-- A file that was moved is found again by its text.
CREATE INDEX versions_by_text ON versions (text_sum);
