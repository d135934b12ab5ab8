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
