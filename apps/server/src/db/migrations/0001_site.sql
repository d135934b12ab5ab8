-- Version numbers that every node polls, for changes that must take effect at once: a notification alone may be lost.
create table versions (
  only_row boolean primary key default true check (only_row),
  -- Increased by changes of roles, passwords, names and other rights of an account; `sessions`: by ended sessions.
  security bigint not null default 0,
  sessions bigint not null default 0,
  settings bigint not null default 0
);
insert into versions default values;

-- Settings by the keys of GZ::CTF (`AccountPolicy:AllowRegister`), values as text.
create table settings (
  key text primary key,
  value text not null
);

-- One-time link of the first start; only its hash is stored.
create table setup_tokens (
  hash bytea primary key,
  created_at timestamptz(3) not null default clock_timestamp()
);

-- Fingerprint of SECRET_KEY: a node with another key refuses to start.
create table installation (
  only_row boolean primary key default true check (only_row),
  secret_fingerprint text
);
insert into installation default values;

create table logs (
  id bigint generated always as identity primary key,
  time timestamptz(3) not null default clock_timestamp(),
  level text not null check (level in ('Information', 'Warning', 'Error', 'Fatal')),
  status text not null default '',
  name text not null,
  ip text not null default '',
  message text not null
);
create index logs_by_time on logs (time);
create index logs_by_level on logs (level, id);

-- Stored files by their SHA-256. `held` is the reference of an upload by an administrator; other references are rows of the tables that use
-- the file.
create table files (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  name text not null,
  type text not null,
  size bigint not null,
  held boolean not null default false,
  uploaded_at timestamptz(3) not null default clock_timestamp()
);

-- Files that lost a reference because a row was deleted, also by a cascade. They are deleted after the commit, from this list, so that
-- none is left behind when a process ends in between.
create table released_files (
  id bigint generated always as identity primary key,
  hash text not null
);

-- Leases on files, held while bytes are written to the storage or deleted from it: the storage may be another server, so no transaction
-- is open meanwhile. Leases of an ended process expire after the times in files/file-leases.ts.
create table file_leases (
  id bigint generated always as identity primary key,
  hash text not null,
  purpose text not null check (purpose in ('Entering', 'Removing')),
  since timestamptz(3) not null default clock_timestamp()
);
create index file_leases_by_hash on file_leases (hash);

-- Periodic cleanups, each by one node at a time: the node that moves `due_at` executes it.
create table sweeps (
  name text primary key,
  due_at timestamptz(3) not null
);

create function raise_settings() returns trigger language plpgsql as $$
begin
  update versions set settings = settings + 1;
  return null;
end $$;
create trigger settings_raise after insert or update or delete on settings for each statement execute function raise_settings();
