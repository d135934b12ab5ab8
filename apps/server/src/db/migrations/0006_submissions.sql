create sequence submissions_number as integer;
create table submissions (
  id integer primary key default nextval('submissions_number'),
  game_id integer not null,
  participation_id integer not null references participations on delete cascade,
  challenge_id integer not null references challenges on delete cascade,
  account_id uuid references accounts on delete set null,
  answer text not null,
  status text not null check (status in ('Accepted', 'WrongAnswer', 'CheatDetected', 'NotFound')),
  arrived_at timestamptz(3) not null
);
create index submissions_by_game on submissions (game_id, arrived_at desc, id desc);
create index submissions_by_participation on submissions (participation_id);
create index submissions_by_challenge on submissions (challenge_id);

-- The solve log of a game: the first correct answer of each team and challenge, numbered without gaps. Never rewritten; which solves count
-- is decided when the board is calculated.
create table solves (
  game_id integer not null,
  number bigint not null,
  participation_id integer not null references participations on delete cascade,
  challenge_id integer not null references challenges on delete cascade,
  submission_id integer not null references submissions on delete cascade,
  account_id uuid references accounts on delete set null,
  arrived_at timestamptz(3) not null,
  shown_at timestamptz(3) not null,
  primary key (game_id, number),
  constraint solves_once unique (participation_id, challenge_id)
);
create index solves_by_challenge on solves (challenge_id, number);
create index solves_by_submission on solves (submission_id);
create index solves_by_account on solves (account_id) where account_id is not null;

-- Submissions of another team's flag.
create table cheats (
  submission_id integer primary key references submissions on delete cascade,
  game_id integer not null,
  participation_id integer not null references participations on delete cascade,
  source_id integer not null references participations on delete cascade,
  detected_at timestamptz(3) not null
);
create index cheats_by_game on cheats (game_id, detected_at desc, submission_id desc);
create index cheats_by_source on cheats (source_id);

create function participations_raise() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status = 'Accepted' then perform raise_roster(array[new.game_id]); end if;
    return new;
  elsif tg_op = 'DELETE' then
    perform raise_epoch(array[old.game_id]);
    return old;
  elsif old.status <> new.status and (old.status = 'Accepted' or new.status = 'Accepted') then
    -- A team without solves adds one row to the board; every other change affects bloods and values.
    if new.status = 'Accepted' and not exists (select from solves where participation_id = new.id) then
      perform raise_roster(array[new.game_id]);
    else
      perform raise_epoch(array[new.game_id]);
    end if;
  elsif new.status = 'Accepted' and old.division is distinct from new.division then
    perform raise_roster(array[new.game_id]);
  end if;
  return new;
end $$;
create trigger participations_raise_insert after insert on participations for each row execute function participations_raise();
create trigger participations_raise_update after update on participations for each row execute function participations_raise();
create trigger participations_raise_delete before delete on participations for each row execute function participations_raise();

-- Deleting a team deletes its participations; their logs are locked before any row of the team, in the order of the games.
create function teams_raise() returns trigger language plpgsql as $$
declare concerned integer[];
begin
  select array_agg(game_id order by game_id) into concerned from participations where team_id = old.id;
  if concerned is not null then
    if tg_op = 'DELETE' then perform raise_epoch(concerned); else perform raise_roster(concerned); end if;
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create trigger teams_raise_delete before delete on teams for each row execute function teams_raise();
create trigger teams_raise_update after update on teams for each row
  when (old.name <> new.name or old.bio is distinct from new.bio or old.avatar_hash is distinct from new.avatar_hash)
  execute function teams_raise();

-- The board shows the name of a solver even after they left the team or were deleted.
create function accounts_raise_rosters() returns trigger language plpgsql as $$
declare concerned integer[];
begin
  select array_agg(game_id order by game_id) into concerned from (
    select game_id from registrations where account_id = old.id
    union select game_id from solves where account_id = old.id
  ) g;
  if concerned is not null then perform raise_roster(concerned); end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create trigger accounts_raise_rosters_renamed after update on accounts for each row when (old.user_name <> new.user_name)
  execute function accounts_raise_rosters();
-- Before the deletion: afterwards it is unknown who made the solves.
create trigger accounts_raise_rosters_deleted before delete on accounts for each row execute function accounts_raise_rosters();
