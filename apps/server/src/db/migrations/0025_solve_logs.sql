-- works-with: 0021
-- Only an accepted participation can be on the board, so the deletion of another one does not change it.
create or replace trigger participations_raise_delete before delete on participations for each row
  when (old.status = 'Accepted') execute function participations_raise();

create or replace function teams_raise() returns trigger language plpgsql as $$
declare concerned integer[];
begin
  select array_agg(game_id order by game_id) into concerned from participations where team_id = old.id;
  if tg_op = 'DELETE' then
    -- The deletion of the participations, which follows, raises the epochs.
    perform from solve_logs where game_id = any (concerned) order by game_id for no key update;
    return old;
  end if;
  if concerned is not null then perform raise_roster(concerned); end if;
  return new;
end $$;

-- An answer that arrived in time takes the place of one of the same team that arrived after the end and was stored earlier. Such a solve
-- counts for nothing and is on no board, so its number may be missing from the log, and the epoch stays.
do $$
begin
  execute replace(
    replace(
      pg_get_functiondef('record_attempts'::regproc),
      's.challenge_id = n.challenge_id)
    order by n.participation_id, n.challenge_id, n.ordinal',
      's.challenge_id = n.challenge_id
        and (s.arrived_at < game_end or n.arrived >= game_end))
    order by n.participation_id, n.challenge_id, n.arrived >= game_end, n.ordinal'
    ),
    'l.arrived, l.shown from logged l
',
    'l.arrived, l.shown from logged l
    on conflict on constraint solves_once do update set number = excluded.number, submission_id = excluded.submission_id,
      account_id = excluded.account_id, arrived_at = excluded.arrived_at, shown_at = excluded.shown_at
'
  );
end $$;
