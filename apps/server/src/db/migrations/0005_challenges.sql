create table challenges (
  id integer generated always as identity primary key,
  game_id integer not null references games on delete cascade,
  title text not null check (title ~ '\S'),
  content text not null default '',
  category text not null default 'Misc',
  type text not null check (type in ('StaticAttachment', 'StaticContainer', 'DynamicAttachment', 'DynamicContainer')),
  hints text[],
  flag_template text,
  enabled boolean not null default false,
  enabled_at timestamptz(3),
  file_name text not null default 'attachment',
  container_image text not null default '',
  memory_limit integer not null default 64,
  cpu_count integer not null default 1,
  storage_limit integer not null default 256,
  expose_port integer not null default 80,
  capture_traffic boolean not null default false,
  original_score integer not null default 1000,
  min_score_rate double precision not null default 0.25,
  difficulty double precision not null default 5,
  blood_bonus bigint
);
create index challenges_by_game on challenges (game_id, id);

-- Static types: each of these is correct. DynamicAttachment: one row per team, assigned permanently when the team first opens the
-- challenge.
create table flags (
  id integer generated always as identity primary key,
  challenge_id integer not null references challenges on delete cascade,
  flag text not null check (length(flag) between 1 and 127),
  taken_at timestamptz(3)
);
create index flags_by_challenge on flags (challenge_id, id);
create unique index flags_once on flags (challenge_id, flag);

-- A file or link of a challenge or, for DynamicAttachment, of a flag. The name belongs to the use, not to the file.
create table attachments (
  id integer generated always as identity primary key,
  challenge_id integer not null references challenges on delete cascade,
  flag_id integer references flags on delete cascade,
  type text not null check (type in ('Local', 'Remote')),
  file_hash text references files,
  file_name text,
  remote_url text,
  check ((type = 'Local') = (file_hash is not null)),
  check ((type = 'Remote') = (remote_url is not null))
);
create unique index attachments_one_per_challenge on attachments (challenge_id) where flag_id is null;
create unique index attachments_one_per_flag on attachments (flag_id) where flag_id is not null;
create index attachments_by_file on attachments (file_hash) where file_hash is not null;

-- What a team was given when it first opened a dynamic challenge: its flag, and the file of the flag.
create table holdings (
  participation_id integer not null references participations on delete cascade,
  challenge_id integer not null references challenges on delete cascade,
  flag text not null,
  flag_id integer references flags on delete cascade,
  opened_at timestamptz(3) not null default clock_timestamp(),
  primary key (participation_id, challenge_id)
);
create unique index holdings_one_per_flag on holdings (flag_id) where flag_id is not null;
create index holdings_by_flag on holdings (challenge_id, flag);

create function challenges_raise() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform raise_epoch(array[old.game_id]);
    return old;
  end if;
  perform raise_epoch(array[new.game_id]);
  return new;
end $$;
create trigger challenges_raise_update after update on challenges for each row
  when ((old.enabled or new.enabled) and (old.enabled, old.title, old.category, old.original_score, old.min_score_rate, old.difficulty, old.blood_bonus)
    is distinct from (new.enabled, new.title, new.category, new.original_score, new.min_score_rate, new.difficulty, new.blood_bonus))
  execute function challenges_raise();
create trigger challenges_raise_delete before delete on challenges for each row execute function challenges_raise();

create function flags_raise() returns trigger language plpgsql as $$
begin
  perform raise_epoch(array(select game_id from challenges where id = new.challenge_id));
  return null;
end $$;
create trigger flags_raise_update after update on flags for each row when (old.flag <> new.flag) execute function flags_raise();

-- A list of flags increases the epoch of its game once: with a trigger for each row, a long list locked the log of a running game for
-- seconds.
create function flags_raise_list() returns trigger language plpgsql as $$
declare concerned integer[];
begin
  select array_agg(distinct c.game_id) into concerned from changed f join challenges c on c.id = f.challenge_id;
  if concerned is not null then perform raise_epoch(concerned); end if;
  return null;
end $$;
create trigger flags_raise_insert after insert on flags referencing new table as changed
  for each statement execute function flags_raise_list();
create trigger flags_raise_delete after delete on flags referencing old table as changed
  for each statement execute function flags_raise_list();
