-- A mail: written with its cause in one transaction, sent by a job. What is said in it is made when it is sent.
-- The link's token is derived from the id and a key (secrets.ts), so that no copy of it can be read here.
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
create index mails_by_account on mails (account_id) where account_id is not null;

-- Single-use tokens of links. Only a hash is kept; a token dies with its use, its time, and whatever changes the account's security.
create table mail_tokens (
  hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  purpose text not null check (purpose in ('Verify', 'Reset', 'ChangeEmail')),
  email text not null,
  expires_at timestamptz(3) not null
);
create index mail_tokens_by_account on mail_tokens (account_id);
