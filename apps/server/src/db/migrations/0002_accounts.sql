create table accounts (
  id uuid primary key,
  user_name text not null check (user_name ~ '\S'),
  email text not null,
  password_hash text not null,
  role text not null default 'User' check (role in ('Banned', 'User', 'Monitor', 'Admin')),
  active boolean not null default false,
  bio text not null default '',
  phone text,
  real_name text not null default '',
  student_number text not null default '',
  avatar_hash text references files,
  registered_at timestamptz(3) not null default clock_timestamp(),
  last_visit_at timestamptz(3) not null default '1970-01-01T00:00:00Z',
  last_ip text not null default '0.0.0.0'
);
create unique index accounts_user_name on accounts (lower(user_name));
create unique index accounts_email on accounts (lower(email));
create index accounts_avatar on accounts (avatar_hash) where avatar_hash is not null;

-- A session is a row: ending it ends it everywhere. Only the hash of its token is stored.
create table sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null
);
create index sessions_by_account on sessions (account_id);
create index sessions_by_expiry on sessions (expires_at);

create table posts (
  id text primary key check (length(id) = 8),
  title text not null,
  summary text not null default '',
  content text not null default '',
  tags text[] not null default '{}',
  pinned boolean not null default false,
  author_id uuid references accounts on delete set null,
  updated_at timestamptz(3) not null default clock_timestamp()
);

create function raise_security() returns trigger language plpgsql as $$
begin
  update versions set security = security + 1;
  return null;
end $$;
create trigger accounts_raise_security after update on accounts for each row
  when (old.role <> new.role or old.password_hash <> new.password_hash or old.active <> new.active)
  execute function raise_security();
create trigger accounts_deletion_raises_security after delete on accounts for each statement execute function raise_security();
create trigger sessions_raise_security after delete on sessions for each statement execute function raise_security();
