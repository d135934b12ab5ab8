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

-- The solve log of a game: first right answers in one order without gaps. Never rewritten; what counts is decided when the board is drawn.
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

-- Somebody sent the flag of another team.
create table cheats (
  submission_id integer primary key references submissions on delete cascade,
  game_id integer not null,
  participation_id integer not null references participations on delete cascade,
  source_id integer not null references participations on delete cascade,
  detected_at timestamptz(3) not null
);
create index cheats_by_game on cheats (game_id, detected_at desc, submission_id desc);
create index cheats_by_source on cheats (source_id);

-- Records judged answers of one game: all that arrived together, in one call and one commit.
--
-- The lock on the log is a statement of its own; the statement after it has a new snapshot and so sees what the lock waited for.
-- Wrong answers alone take no lock. Nothing is trusted that was read before: a parent that is gone, a team no longer accepted, a banned
-- user, a disabled challenge or another epoch make that row answer so, unwritten, while the others go on.
--
-- seen: epoch of the facts that the verdict rests on. waited: seconds since arrival by the caller's monotonic clock.
-- Returns a row per answer: outcome 'ok', or why it was not written; solve is its number in the log when it is a first right answer;
-- rank 1..3 is its blood, notice the blood notice.
create function record_attempts(
  g integer, seen bigint[], p integer[], c integer[], u uuid[], a text[], v text[], waited double precision[]
) returns table (place integer, outcome text, submission integer, verdict text, solve bigint, rank integer, notice integer, log_head bigint, log_epoch bigint)
language plpgsql volatile as $$
declare
  h bigint;
  e bigint;
  stamp timestamptz(3);
  ends timestamptz(3);
  shown timestamptz(3);
begin
  if 'Accepted' = any (v) then
    select head, epoch into h, e from solve_logs where game_id = g for no key update;
  else
    select head, epoch into h, e from solve_logs where game_id = g;
  end if;
  stamp := clock_timestamp();
  select ends_at into ends from games where id = g;
  select shown_at into shown from solves where game_id = g order by number desc limit 1;

  return query
  with inp as (
    select i.ord::integer as ord, i.seen, i.p, i.c, i.u, i.a, i.v, (stamp - make_interval(secs => i.waited))::timestamptz(3) as arrived
    from unnest(seen, p, c, u, a, v, waited) with ordinality as i (seen, p, c, u, a, v, waited, ord)
  ), checked as materialized (
    select i.*, pa.created_at, te.name as team, ch.title,
      case
        when e is null or pa.id is null or ch.id is null or ac.id is null then 'gone'
        when ac.role = 'Banned' then 'banned'
        when re.account_id is null then 'missing'
        when pa.status <> 'Accepted' then 'not_accepted'
        when not ch.enabled then 'gone'
        when i.seen <> e then 'stale'
        else 'ok'
      end as outcome
    from inp i
    left join participations pa on pa.id = i.p and pa.game_id = g
    left join teams te on te.id = pa.team_id
    left join challenges ch on ch.id = i.c and ch.game_id = g
    left join accounts ac on ac.id = i.u
    left join registrations re on re.participation_id = i.p and re.account_id = i.u
  ), copied as (
    select k.ord, min(o.participation_id) as source
    from checked k
    join holdings o on o.challenge_id = k.c and o.flag = k.a and o.participation_id <> k.p
    where k.outcome = 'ok' and k.v = 'WrongAnswer'
    group by k.ord
  ), numbered as materialized (
    select k.*, o.source, case when o.source is null then k.v else 'CheatDetected' end as final, nextval('submissions_number')::integer as id
    from checked k
    left join copied o on o.ord = k.ord
    where k.outcome = 'ok'
  ), stored as (
    insert into submissions (id, game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select n.id, g, n.p, n.c, n.u, n.a, n.final, n.arrived from numbered n
  ), caught as (
    insert into cheats (submission_id, game_id, participation_id, source_id, detected_at)
    select n.id, g, n.p, n.source, stamp from numbered n where n.source is not null
  ), firsts as (
    select distinct on (n.p, n.c) n.*
    from numbered n
    where n.final = 'Accepted' and not exists (select from solves s where s.participation_id = n.p and s.challenge_id = n.c)
    order by n.p, n.c, n.ord
  ), logged as materialized (
    select f.*, h + row_number() over (order by f.ord) as number,
      greatest(shown, max(f.arrived) over (order by f.ord rows unbounded preceding)) as shown_at,
      f.arrived < ends and f.created_at < ends and stamp <= ends as counts
    from firsts f
  ), written as (
    insert into solves (game_id, number, participation_id, challenge_id, submission_id, account_id, arrived_at, shown_at)
    select g, l.number, l.p, l.c, l.id, l.u, l.arrived, l.shown_at from logged l
  ), moved as (
    update solve_logs set head = h + (select count(*) from logged), changed_at = stamp
    where game_id = g and exists (select from logged)
  ), ranked as materialized (
    select l.ord, l.team, l.title,
      (
        (select count(*) from (
          select from solves s join participations q on q.id = s.participation_id
          where s.challenge_id = l.c and s.arrived_at < ends and q.status = 'Accepted' and q.created_at < ends
          limit 3
        ) before)
        + row_number() over (partition by l.c order by l.number)
      )::integer as rank
    from logged l
    where l.counts
  ), told as (
    insert into notices (game_id, type, values, created_at)
    select g, (array['FirstBlood', 'SecondBlood', 'ThirdBlood'])[r.rank], array[r.team, r.title], stamp
    from ranked r where r.rank <= 3 order by r.ord
    returning notices.id, notices.type, notices.values
  )
  select k.ord, k.outcome, n.id, n.final, l.number, case when r.rank <= 3 then r.rank end,
    (select t.id from told t where r.rank <= 3 and t.type = (array['FirstBlood', 'SecondBlood', 'ThirdBlood'])[r.rank] and t.values = array[r.team, r.title] limit 1),
    h + (select count(*) from logged), e
  from checked k
  left join numbered n on n.ord = k.ord
  left join logged l on l.ord = k.ord
  left join ranked r on r.ord = k.ord
  order by k.ord;
end $$;

create function participations_raise() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status = 'Accepted' then perform raise_roster(array[new.game_id]); end if;
    return new;
  elsif tg_op = 'DELETE' then
    perform raise_epoch(array[old.game_id]);
    return old;
  elsif old.status <> new.status and (old.status = 'Accepted' or new.status = 'Accepted') then
    -- A team without solves comes onto the board as one more row; everything else deals bloods and values anew.
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

-- A team that goes takes its participations along; their logs are locked before any of its rows, in the order of the games.
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

create function accounts_raise_roster() returns trigger language plpgsql as $$
declare concerned integer[];
begin
  select array_agg(game_id order by game_id) into concerned from registrations where account_id = new.id;
  if concerned is not null then perform raise_roster(concerned); end if;
  return null;
end $$;
create trigger accounts_raise_rosters after update on accounts for each row when (old.user_name <> new.user_name)
  execute function accounts_raise_roster();
