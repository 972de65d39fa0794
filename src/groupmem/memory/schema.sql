-- One memory. What people wrote is in this file and nowhere else; the indexes beside it are derived from it.
-- Numbers of channels, labels, rows and entries are this file's own; ids of the source are text.
-- Times are microseconds since 1970 (UTC), with the offset of the source's zone beside them.

CREATE TABLE IF NOT EXISTS meta (
    key TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- next_row, next_entry, next_file: never given twice. setting: grows when people or channels change. indexed: the last
-- entry that the lexical index on disk holds. forgotten_changes: up to where `changes` has been emptied. unpurged: how
-- many messages were deleted since their traces were last removed.
INSERT OR IGNORE INTO meta VALUES
    ('next_row', 0), ('next_entry', 0), ('next_file', 0), ('setting', 0), ('indexed', -1), ('forgotten_changes', 0),
    ('unpurged', 0);

CREATE TABLE IF NOT EXISTS people (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    record BLOB NOT NULL, -- types.Person as JSON
    PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS channels (
    channel INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL,
    id ANY NOT NULL,
    record BLOB, -- types.Channel as JSON without its members; NULL where the setting does not list the channel
    is_public INTEGER NOT NULL,
    first_reply INTEGER, -- sort_at of the earliest message that answers another: from then on the channel has replies
    UNIQUE (workspace, id)
) STRICT;

CREATE TABLE IF NOT EXISTS members (
    channel INTEGER NOT NULL REFERENCES channels,
    person TEXT NOT NULL,
    PRIMARY KEY (channel, person)
) STRICT, WITHOUT ROWID;

-- Authors, roles, phases, topics and people who are spoken of, each once.
CREATE TABLE IF NOT EXISTS labels (
    label INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    text ANY NOT NULL UNIQUE -- a text; bytes where it is no valid Unicode
) STRICT;

-- What a message is, without its words: small, because a reader loads it whole.
CREATE TABLE IF NOT EXISTS messages (
    row INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL REFERENCES channels,
    id ANY NOT NULL,
    author INTEGER,
    role INTEGER,
    phase INTEGER,
    topic INTEGER,
    spoken_of INTEGER, -- the person of whom it speaks, or whose words it passes on
    sent_at INTEGER,
    sent_offset INTEGER,
    sort_at INTEGER NOT NULL, -- sent_at, or where there is none that of the latest message before it
    position INTEGER NOT NULL,
    is_bot INTEGER NOT NULL,
    words INTEGER NOT NULL,
    answers ANY, -- id of the message that it answers, whether that is here or not
    parent INTEGER, -- row of that message
    thread INTEGER NOT NULL, -- row of the first message of its thread
    context INTEGER, -- row whose text is read together with this one's: the parent, or a short message before it
    entry INTEGER NOT NULL, -- its number in the lexical index: the newest state of text and context
    vector_entry INTEGER NOT NULL, -- its number among the vectors: the newest state of the text
    states INTEGER NOT NULL, -- whether it makes a statement that a later one can replace
    kinds_1 INTEGER NOT NULL, -- how surely it makes a statement of each kind: 8 bytes,
    kinds_2 INTEGER NOT NULL, -- and 8 more
    deleted INTEGER NOT NULL DEFAULT 0, -- a deleted message stays as a number, so that it cannot come back
    UNIQUE (channel, id)
) STRICT;

CREATE INDEX IF NOT EXISTS messages_by_time ON messages (channel, sort_at, position, row);
CREATE INDEX IF NOT EXISTS messages_by_parent ON messages (parent) WHERE parent IS NOT NULL;
CREATE INDEX IF NOT EXISTS messages_by_thread ON messages (thread) WHERE thread <> row;
CREATE INDEX IF NOT EXISTS statements_by_phase ON messages (channel, phase, sort_at, position, row) WHERE states;
CREATE INDEX IF NOT EXISTS statements_by_topic ON messages (channel, topic, sort_at, position, row)
    WHERE states AND topic IS NOT NULL;

CREATE TABLE IF NOT EXISTS texts (
    row INTEGER PRIMARY KEY REFERENCES messages,
    text ANY NOT NULL,
    reply_to ANY,
    thread ANY,
    edited_at INTEGER,
    edited_offset INTEGER,
    extra BLOB, -- JSON
    notes BLOB NOT NULL, -- notes.Notes as JSON
    days TEXT -- the days that it names, as terms of the index; NULL where there are none
) STRICT;

-- What messages said before they were edited.
CREATE TABLE IF NOT EXISTS edits (
    row INTEGER NOT NULL REFERENCES messages,
    number INTEGER NOT NULL,
    text ANY NOT NULL,
    PRIMARY KEY (row, number)
) STRICT, WITHOUT ROWID;

-- Messages whose parent has not come yet.
CREATE TABLE IF NOT EXISTS orphans (
    channel INTEGER NOT NULL,
    answers ANY NOT NULL,
    row INTEGER NOT NULL REFERENCES messages,
    PRIMARY KEY (channel, answers, row)
) STRICT, WITHOUT ROWID;

-- Statements that replace earlier ones.
CREATE TABLE IF NOT EXISTS links (
    new INTEGER NOT NULL REFERENCES messages,
    old INTEGER NOT NULL REFERENCES messages,
    new_start INTEGER NOT NULL,
    new_end INTEGER NOT NULL,
    old_start INTEGER NOT NULL,
    old_end INTEGER NOT NULL,
    score REAL NOT NULL,
    names_old INTEGER NOT NULL,
    PRIMARY KEY (new, old, new_start, old_start)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS links_by_old ON links (old);

-- Rows that changed after they were added, for readers that have loaded them.
CREATE TABLE IF NOT EXISTS changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    row INTEGER NOT NULL
) STRICT;

-- The files of the lexical index, by the entries that they cover.
CREATE TABLE IF NOT EXISTS segments (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    file TEXT NOT NULL
) STRICT;

-- Sets of vectors, each of one embedding model; `embedded` is its watermark. One at a time is in use.
CREATE TABLE IF NOT EXISTS generations (
    generation INTEGER PRIMARY KEY AUTOINCREMENT,
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    embedded INTEGER NOT NULL DEFAULT -1,
    in_use INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS blocks (
    generation INTEGER NOT NULL REFERENCES generations,
    channel INTEGER NOT NULL REFERENCES channels,
    revision INTEGER NOT NULL,
    vectors INTEGER NOT NULL, -- how many of the file count
    PRIMARY KEY (generation, channel)
) STRICT, WITHOUT ROWID;

PRAGMA application_id = 1735224685;
PRAGMA user_version = 2;
