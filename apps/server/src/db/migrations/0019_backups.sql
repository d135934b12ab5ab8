-- The latest scheduled backup, by any node: at most one row.
create table backups (
  id integer primary key default 1 check (id = 1),
  tried_at timestamptz(3) not null,
  -- When the last complete one was finished.
  made_at timestamptz(3),
  -- Why the latest one failed; null if it did not.
  problem text
);
