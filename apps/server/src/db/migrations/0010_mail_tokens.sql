-- Links of earlier mails die with whatever changes the security of their account, whoever changes it.
create function forget_mail_tokens() returns trigger language plpgsql as $$
begin
  delete from mail_tokens where account_id = new.id;
  return null;
end $$;
create trigger accounts_forget_mail_tokens after update on accounts for each row
  when (
    old.user_name <> new.user_name or old.email <> new.email or old.password_hash <> new.password_hash
    or old.role <> new.role or old.active <> new.active
  )
  execute function forget_mail_tokens();

-- What failed is looked for among many.
create index mails_by_state on mails (state, id);
