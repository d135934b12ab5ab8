-- The facts that decide whether a user may join a game for a team (mustBeAbleToJoin), as one value that can be compared; null: the game
-- does not exist.
-- `members`: those registered for the game, without the caller. Times are in milliseconds.
create function join_facts(in_game integer, in_team integer, in_account uuid) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'title', g.title,
    'startsAt', (extract(epoch from g.starts_at) * 1000)::bigint,
    'endsAt', (extract(epoch from g.ends_at) * 1000)::bigint,
    'practiceMode', g.practice_mode,
    'inviteCode', g.invite_code,
    'divisions', g.divisions,
    'memberLimit', g.member_limit,
    'acceptWithoutReview', g.accept_without_review,
    'teamName', (select name from teams where id = in_team),
    'isMember', exists (select from team_members where team_id = in_team and account_id = in_account),
    'ownStatus', (
      select p.status from registrations r join participations p on p.id = r.participation_id
      where r.game_id = in_game and r.account_id = in_account
    ),
    'participation', (
      select jsonb_build_object('id', p.id, 'status', p.status, 'division', p.division, 'members', (
        select count(*) from registrations r where r.participation_id = p.id and r.account_id <> in_account
      ))
      from participations p where p.game_id = in_game and p.team_id = in_team
    )
  )
  from games g where g.id = in_game
$$;

-- Stores what was decided by `seen` (join_facts) and by whether the game had ended. Joins of a game are serialised by the lock on its log,
-- which each holds for this call and its commit. Returns the participation, or null, without writing, if the facts differ from `seen`.
create function join_game(
  in_game integer,
  in_team integer,
  in_account uuid,
  seen jsonb,
  seen_over boolean,
  new_status text,
  new_division text,
  new_token text
) returns integer language plpgsql volatile as $$
declare
  stamp timestamptz;
  part integer;
begin
  perform from solve_logs where game_id = in_game for no key update;
  -- So that they cannot be deleted before the registration refers to them.
  perform from teams where id = in_team for key share;
  perform from team_members where team_id = in_team and account_id = in_account for key share;
  -- A new snapshot, which includes what was committed while the locks were waited for.
  if join_facts(in_game, in_team, in_account) is distinct from seen then return null; end if;
  stamp := clock_timestamp();
  if (select stamp > ends_at from games where id = in_game) <> seen_over then return null; end if;

  delete from registrations where game_id = in_game and account_id = in_account;
  update participations set status = new_status, division = new_division
  where game_id = in_game and team_id = in_team returning id into part;
  if part is null then
    insert into participations (game_id, team_id, status, division, token, created_at)
    values (in_game, in_team, new_status, new_division, new_token, stamp) returning id into part;
  end if;
  insert into registrations (participation_id, account_id, team_id, game_id) values (part, in_account, in_team, in_game);
  -- An accepted team keeps its members (teams/lock-team.ts).
  if new_status = 'Accepted' and seen -> 'participation' ->> 'status' is distinct from 'Accepted' then
    update teams set locked = true where id = in_team and not locked;
  end if;
  return part;
end $$;
