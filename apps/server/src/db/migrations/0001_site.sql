-- Versions that every node polls: what must act at once is compared, never only announced.
create table versions (
  only_row boolean primary key default true check (only_row),
  -- Raised by roles, passwords, names and what else changes somebody's rights; `sessions` by sessions that end.
  security bigint not null default 0,
  sessions bigint not null default 0,
  settings bigint not null default 0
);
insert into versions default values;

-- Settings by the keys that organisers of GZ::CTF know (`AccountPolicy:AllowRegister`), values as text.
create table settings (
  key text primary key,
  value text not null
);

-- One-time link of the first start; only its hash is kept.
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

-- Stored bytes by their SHA-256. `held` is the reference that an upload by an administrator holds; all others are counted where they stand.
create table files (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  name text not null,
  type text not null,
  size bigint not null,
  held boolean not null default false,
  uploaded_at timestamptz(3) not null default clock_timestamp()
);

-- Files that lost a reference with a row, cascades included. Whoever removes files takes them from here after the commit, so that
-- none is forgotten when a process ends in between.
create table released_files (
  id bigint generated always as identity primary key,
  hash text not null
);

-- Whoever brings the bytes of a file, or removes them, holds one of these meanwhile: the storage may be another server, so no transaction is
-- open while it works. What an ended process left counts no more after the times in files/file-leases.ts.
create table file_leases (
  id bigint generated always as identity primary key,
  hash text not null,
  purpose text not null check (purpose in ('Entering', 'Removing')),
  since timestamptz(3) not null default clock_timestamp()
);
create index file_leases_by_hash on file_leases (hash);

-- What is tidied up now and then, by one node at a time: whoever moves `due_at` does it.
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
