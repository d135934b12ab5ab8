-- Records judged answers of one game: all that arrived together, in one call and one transaction.
--
-- The lock on the log is a separate statement; the next statement has a new snapshot, so it sees what was committed during the wait.
-- Wrong answers alone take no lock. Everything that was read before is checked again: a deleted parent row, a team that is no longer
-- accepted, a banned user, a disabled challenge or a different epoch is returned as the outcome of that answer, which is not written; the
-- others are.
--
-- seen_epochs: epoch of the facts on which each verdict is based. waited_seconds: time since arrival by the caller's monotonic clock, at
-- the moment of the call. Only the arrival decides whether an answer counts, not the time until the lock was granted.
-- token_hashes: hexadecimal hash of the session token of each answer, which must still belong to the account; null: not checked.
-- Returns a row per answer: outcome 'ok', or why it was not written; solve: its number in the log if it is the first correct answer;
-- rank: 1 to 3 for bloods; notice: the notice of the blood; team: the name of the team.
create function record_attempts(
  in_game integer,
  seen_epochs bigint[],
  participation_ids integer[],
  challenge_ids integer[],
  account_ids uuid[],
  answers text[],
  verdicts text[],
  waited_seconds double precision[],
  token_hashes text[]
) returns table (place integer, outcome text, submission integer, verdict text, solve bigint, rank integer, notice integer, team text)
language plpgsql volatile as $$
declare
  -- Read before the lock is taken: waiting for it must not make an answer late.
  began timestamptz := clock_timestamp();
  old_head bigint;
  current_epoch bigint;
  stamp timestamptz(3);
  game_end timestamptz(3);
  last_shown timestamptz(3);
begin
  if 'Accepted' = any (verdicts) then
    select head, epoch into old_head, current_epoch from solve_logs where game_id = in_game for no key update;
  else
    select head, epoch into old_head, current_epoch from solve_logs where game_id = in_game;
  end if;
  stamp := clock_timestamp();
  select ends_at into game_end from games where id = in_game;
  select shown_at into last_shown from solves where game_id = in_game order by number desc limit 1;

  return query
  with input as (
    select i.ordinal::integer as ordinal, i.seen_epoch, i.participation_id, i.challenge_id, i.account_id, i.answer, i.judged, i.token_hash,
      (began - make_interval(secs => i.waited))::timestamptz(3) as arrived
    from unnest(seen_epochs, participation_ids, challenge_ids, account_ids, answers, verdicts, waited_seconds, token_hashes)
      with ordinality as i (seen_epoch, participation_id, challenge_id, account_id, answer, judged, waited, token_hash, ordinal)
  ), checked as materialized (
    select i.*, p.created_at as joined, t.name as team, c.title,
      case
        when current_epoch is null or p.id is null or c.id is null or a.id is null then 'gone'
        when a.role = 'Banned' then 'banned'
        when i.token_hash is not null and s.account_id is null then 'signed_out'
        when r.account_id is null then 'missing'
        when p.status <> 'Accepted' then 'not_accepted'
        when not c.enabled then 'gone'
        when i.seen_epoch <> current_epoch then 'stale'
        else 'ok'
      end as result
    from input i
    left join participations p on p.id = i.participation_id and p.game_id = in_game
    left join teams t on t.id = p.team_id
    left join challenges c on c.id = i.challenge_id and c.game_id = in_game
    left join accounts a on a.id = i.account_id
    left join registrations r on r.participation_id = i.participation_id and r.account_id = i.account_id
    left join sessions s on s.token_hash = decode(i.token_hash, 'hex') and s.account_id = i.account_id and s.expires_at > began
  ), copied as (
    select k.ordinal, min(h.participation_id) as source_id
    from checked k
    join holdings h on h.challenge_id = k.challenge_id and h.flag = k.answer and h.participation_id <> k.participation_id
    where k.result = 'ok' and k.judged = 'WrongAnswer'
    group by k.ordinal
  ), numbered as materialized (
    select k.*, o.source_id, case when o.source_id is null then k.judged else 'CheatDetected' end as status,
      nextval('submissions_number')::integer as id
    from checked k
    left join copied o on o.ordinal = k.ordinal
    where k.result = 'ok'
  ), stored as (
    insert into submissions (id, game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select n.id, in_game, n.participation_id, n.challenge_id, n.account_id, n.answer, n.status, n.arrived from numbered n
  ), caught as (
    insert into cheats (submission_id, game_id, participation_id, source_id, detected_at)
    select n.id, in_game, n.participation_id, n.source_id, stamp from numbered n where n.source_id is not null
  ), firsts as (
    select distinct on (n.participation_id, n.challenge_id) n.*
    from numbered n
    where n.status = 'Accepted'
      and not exists (select from solves s where s.participation_id = n.participation_id and s.challenge_id = n.challenge_id)
    order by n.participation_id, n.challenge_id, n.ordinal
  ), logged as materialized (
    select f.*, old_head + row_number() over (order by f.ordinal) as number,
      greatest(last_shown, max(f.arrived) over (order by f.ordinal rows unbounded preceding)) as shown,
      f.arrived < game_end and f.joined < game_end as counts
    from firsts f
  ), written as (
    insert into solves (game_id, number, participation_id, challenge_id, submission_id, account_id, arrived_at, shown_at)
    select in_game, l.number, l.participation_id, l.challenge_id, l.id, l.account_id, l.arrived, l.shown from logged l
  ), moved as (
    update solve_logs set head = old_head + (select count(*) from logged), changed_at = stamp
    where game_id = in_game and exists (select from logged)
  ), ranked as materialized (
    select l.ordinal, l.team, l.title,
      (
        (select count(*) from (
          select from solves s join participations p on p.id = s.participation_id
          where s.challenge_id = l.challenge_id and s.arrived_at < game_end and p.status = 'Accepted' and p.created_at < game_end
          -- With this order the planner reads only the first entries of the index, even of a long log.
          order by s.number limit 3
        ) before)
        + row_number() over (partition by l.challenge_id order by l.number)
      )::integer as blood
    from logged l
    where l.counts
  ), bloods as materialized (
    select b.*, (array['FirstBlood', 'SecondBlood', 'ThirdBlood'])[b.blood] as type, nextval('notices_id_seq')::integer as notice_id
    from (select * from ranked where blood <= 3 order by ordinal) b
  ), announced as (
    insert into notices (id, game_id, type, values, created_at) overriding system value
    select b.notice_id, in_game, b.type, array[b.team, b.title], stamp from bloods b
  )
  select k.ordinal, k.result, n.id, n.status, l.number, b.blood, b.notice_id, k.team
  from checked k
  left join numbered n on n.ordinal = k.ordinal
  left join logged l on l.ordinal = k.ordinal
  left join bloods b on b.ordinal = k.ordinal
  order by k.ordinal;
end $$;
