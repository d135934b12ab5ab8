-- Two names are equal if their keys are (only nameKey of packages/core/src/names.ts creates keys).
create table accounts (
  id uuid primary key,
  user_name text not null check (user_name ~ '\S'),
  name_key text not null check (name_key <> ''),
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
create unique index accounts_user_name on accounts (name_key);
create unique index accounts_email on accounts (lower(email));
create index accounts_avatar on accounts (avatar_hash) where avatar_hash is not null;

-- Sessions. Deleting a row ends the session on every node. Only the hash of the token is stored.
create table sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null
);
create index sessions_by_account on sessions (account_id);
create index sessions_by_expiry on sessions (expires_at);

-- Ended sessions, for nodes that cache sessions; `number` is versions.sessions, whose row stays locked until the commit, so that no
-- number is visible before the lower ones. Rows are deleted after some minutes.
create table ended_sessions (
  number bigint not null,
  token_hash bytea not null,
  ended_at timestamptz(3) not null default clock_timestamp()
);
create index ended_sessions_by_number on ended_sessions (number);

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
  when (old.role <> new.role or old.password_hash <> new.password_hash or old.active <> new.active or old.user_name <> new.user_name)
  execute function raise_security();
create trigger accounts_deletion_raises_security after delete on accounts for each statement execute function raise_security();
create function sessions_have_ended() returns trigger language plpgsql as $$
declare reached bigint;
begin
  if not exists (select from gone) then return null; end if;
  update versions set sessions = sessions + 1 returning sessions into reached;
  insert into ended_sessions (number, token_hash) select reached, token_hash from gone;
  return null;
end $$;
create trigger sessions_end after delete on sessions referencing old table as gone
  for each statement execute function sessions_have_ended();

-- Mails: a row is written in the transaction of its cause, and a job sends the mail. Its text is created when it is sent.
-- The token of a link is derived from the id and a key (secrets.ts), so that it cannot be read here.
create table mails (
  id integer generated always as identity primary key,
  kind text not null check (kind in ('Verify', 'Reset', 'ChangeEmail', 'EmailChanging', 'Test')),
  account_id uuid references accounts on delete set null,
  recipient text not null,
  user_name text not null,
  language text not null,
  state text not null default 'Waiting' check (state in ('Waiting', 'Sent', 'Failed')),
  attempts integer not null default 0,
  error text,
  created_at timestamptz(3) not null default clock_timestamp(),
  settled_at timestamptz(3)
);
-- For the number of mails per recipient in the last hour.
create index mails_by_recipient on mails (lower(recipient), created_at);
create index mails_by_account on mails (account_id) where account_id is not null;
-- For the list of failed mails.
create index mails_by_state on mails (state, id);

-- Single-use tokens of links. Only a hash is stored. A token becomes invalid by its use, by its age, and by changes of the account's
-- name, email, password, role or activation.
create table mail_tokens (
  hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  purpose text not null check (purpose in ('Reset', 'ChangeEmail', 'EmailChanging')),
  email text not null,
  expires_at timestamptz(3) not null
);
create index mail_tokens_by_account on mail_tokens (account_id);
create index mail_tokens_by_email on mail_tokens (lower(email));

-- Deletes the tokens of an account after each change of its security, by a user or an administrator. The token that cancels a change of the
-- email address stays: a person who took over the account must not be able to remove it by a further change.
create function forget_mail_tokens() returns trigger language plpgsql as $$
begin
  delete from mail_tokens where account_id = new.id and purpose <> 'EmailChanging';
  return null;
end $$;
create trigger accounts_forget_mail_tokens after update on accounts for each row
  when (
    old.user_name <> new.user_name or old.email <> new.email or old.password_hash <> new.password_hash
    or old.role <> new.role or old.active <> new.active
  )
  execute function forget_mail_tokens();

-- Registrations that wait for confirmation by email. They reserve neither name nor address; both are checked at the confirmation.
create table registration_attempts (
  token_hash bytea primary key,
  user_name text not null,
  name_key text not null,
  email text not null,
  password_hash text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null
);
create index registration_attempts_by_email on registration_attempts (lower(email), created_at);
create index registration_attempts_by_name on registration_attempts (name_key, created_at);
create index registration_attempts_by_expiry on registration_attempts (expires_at);
