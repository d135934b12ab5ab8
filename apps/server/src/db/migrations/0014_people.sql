-- Two names are the same when their keys are (nameKey of packages/core/src/names.ts, the only place that makes one).
alter table accounts add column name_key text not null check (name_key <> '');
drop index accounts_user_name;
create unique index accounts_user_name on accounts (name_key);

-- A registration that waits for the link of its mail. It reserves neither name nor address; both are checked when the link is followed.
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

-- Mails of the last hour are counted for each recipient.
create index mails_by_recipient on mails (lower(recipient), created_at);

-- The notice to the old address carries a link that cancels the change. It outlives what the person who asked for the change does next.
alter table mail_tokens drop constraint mail_tokens_purpose_check;
alter table mail_tokens add constraint mail_tokens_purpose_check check (purpose in ('Reset', 'ChangeEmail', 'EmailChanging'));
create index mail_tokens_by_email on mail_tokens (lower(email));
create or replace function forget_mail_tokens() returns trigger language plpgsql as $$
begin
  delete from mail_tokens where account_id = new.id and purpose <> 'EmailChanging';
  return null;
end $$;
