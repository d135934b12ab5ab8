create table games (
  id integer generated always as identity primary key,
  title text not null check (title ~ '\S'),
  summary text not null default '',
  content text not null default '',
  hidden boolean not null default false,
  poster_hash text references files,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  practice_mode boolean not null default true,
  accept_without_review boolean not null default false,
  invite_code text,
  divisions text[] not null default '{}',
  member_limit integer not null default 0 check (member_limit >= 0),
  container_limit integer not null default 3 check (container_limit >= 0),
  writeup_required boolean not null default false,
  writeup_deadline timestamptz(3) not null,
  writeup_note text not null default '',
  blood_bonus bigint not null default 52459530,
  public_key text not null,
  private_key text not null,
  constraint games_end_after_start check (ends_at > starts_at)
);
create index games_by_start on games (starts_at desc, id desc);
create index games_poster on games (poster_hash) where poster_hash is not null;

-- The row that is locked while solves are added to a game. No foreign key refers to it, so the lock blocks no other statement.
-- head: last number of the solve log, never decreases. epoch: increased by changes that affect points. roster: increased by changed names
-- and newly accepted teams.
create table solve_logs (
  game_id integer primary key references games on delete cascade,
  head bigint not null default 0,
  epoch bigint not null default 1,
  roster bigint not null default 0,
  changed_at timestamptz(3) not null default clock_timestamp()
);

create table participations (
  id integer generated always as identity primary key,
  game_id integer not null references games on delete cascade,
  team_id integer not null references teams on delete cascade,
  status text not null default 'Pending' check (status in ('Pending', 'Accepted', 'Rejected', 'Suspended', 'Unsubmitted')),
  division text,
  token text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint participations_one_per_team unique (team_id, game_id),
  unique (id, team_id, game_id)
);
create index participations_by_game on participations (game_id, team_id);

-- Members of a team that are registered for a game. Deleted with the membership, so that the room teams does not depend on games.
create table registrations (
  participation_id integer not null,
  account_id uuid not null,
  team_id integer not null,
  game_id integer not null,
  registered_at timestamptz(3) not null default clock_timestamp(),
  primary key (participation_id, account_id),
  constraint registrations_one_per_game unique (game_id, account_id),
  foreign key (participation_id, team_id, game_id) references participations (id, team_id, game_id) on delete cascade,
  foreign key (team_id, account_id) references team_members (team_id, account_id) on delete cascade
);
create index registrations_by_member on registrations (team_id, account_id);

create table notices (
  id integer generated always as identity primary key,
  game_id integer not null references games on delete cascade,
  type text not null check (type in ('Normal', 'FirstBlood', 'SecondBlood', 'ThirdBlood', 'NewHint', 'NewChallenge')),
  values text[] not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index notices_by_game on notices (game_id, created_at desc, id desc);

-- Events other than submissions; FlagSubmit and CheatDetected are derived from submissions and cheats.
create table game_events (
  id integer generated always as identity primary key,
  game_id integer not null references games on delete cascade,
  participation_id integer references participations on delete cascade,
  account_id uuid references accounts on delete set null,
  type text not null check (type in ('Normal', 'ContainerStart', 'ContainerDestroy')),
  values text[] not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index game_events_by_game on game_events (game_id, id desc);

create function raise_epoch(games integer[]) returns void language sql as $$
  update solve_logs l set epoch = l.epoch + 1, changed_at = clock_timestamp()
  from (select game_id from solve_logs where game_id = any (games) order by game_id for no key update) o
  where l.game_id = o.game_id
$$;
create function raise_roster(games integer[]) returns void language sql as $$
  update solve_logs l set roster = l.roster + 1, changed_at = clock_timestamp()
  from (select game_id from solve_logs where game_id = any (games) order by game_id for no key update) o
  where l.game_id = o.game_id
$$;

create function games_keep_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into solve_logs (game_id) values (new.id);
  else
    perform raise_epoch(array[new.id]);
  end if;
  return null;
end $$;
create trigger games_open_log after insert on games for each row execute function games_keep_log();
create trigger games_raise after update on games for each row
  when (old.starts_at <> new.starts_at or old.ends_at <> new.ends_at or old.blood_bonus <> new.blood_bonus
    or old.divisions <> new.divisions or old.title <> new.title or old.practice_mode <> new.practice_mode)
  execute function games_keep_log();

-- Deletes a participation with its last member. Takes the lock on the log first and counts in a separate statement.
create function registrations_last_leaves() returns trigger language plpgsql as $$
begin
  perform 1 from solve_logs where game_id = old.game_id for no key update;
  perform 1 from participations where id = old.participation_id for update;
  if not found then return null; end if;
  if not exists (select from registrations where participation_id = old.participation_id)
    and not exists (select from submissions where participation_id = old.participation_id) then
    delete from participations where id = old.participation_id;
  end if;
  return null;
end $$;
-- Deferred to the end of the transaction, so that replacing the only registration keeps the participation.
create constraint trigger registrations_last after delete on registrations deferrable initially deferred
  for each row execute function registrations_last_leaves();
