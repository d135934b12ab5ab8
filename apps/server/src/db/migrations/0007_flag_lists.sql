-- A list of flags raises the epoch of its game once: with a trigger for each row, a long list held the log of a running game for seconds.
create function flags_raise_list() returns trigger language plpgsql as $$
declare concerned integer[];
begin
  select array_agg(distinct c.game_id) into concerned from changed f join challenges c on c.id = f.challenge_id;
  if concerned is not null then perform raise_epoch(concerned); end if;
  return null;
end $$;
drop trigger flags_raise_change on flags;
create trigger flags_raise_insert after insert on flags referencing new table as changed
  for each statement execute function flags_raise_list();
create trigger flags_raise_delete after delete on flags referencing old table as changed
  for each statement execute function flags_raise_list();
