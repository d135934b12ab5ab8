alter table challenges
  -- Image of a program that solves a fresh instance; empty: none.
  add check_image text not null default '',
  -- Minutes between two checks while the game runs; 0: only on request and before the start.
  add check_minutes integer not null default 0 check (check_minutes = 0 or check_minutes between 5 and 1440);

-- The latest checks of each challenge.
create table solver_checks (
  id integer primary key generated always as identity,
  challenge_id integer not null references challenges on delete cascade,
  cause text not null check (cause in ('request', 'start', 'interval')),
  state text not null default 'Waiting' check (state in ('Waiting', 'Running', 'Passed', 'Failed', 'NotTried')),
  asked_at timestamptz(3) not null default clock_timestamp(),
  -- A slot among the concurrent checks of all nodes, during a check.
  slot integer check (slot between 1 and 2),
  -- Renewed by the node that executes it. After this time that node is considered dead.
  running_until timestamptz(3),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  -- Why it failed or was not executed.
  problem text,
  -- The end of the program's output, without the flag.
  output text not null default '',
  check ((state = 'Running') = (slot is not null) and (state = 'Running') = (running_until is not null)),
  check ((state in ('Waiting', 'Running')) = (ended_at is null))
);
create unique index solver_checks_one on solver_checks (challenge_id) where state in ('Waiting', 'Running');
create unique index solver_checks_slot on solver_checks (slot) where slot is not null;
create index solver_checks_by_challenge on solver_checks (challenge_id, id desc);

alter table containers
  -- Test containers of checks; the test container of an editor may run at the same time.
  add is_check boolean not null default false;
drop index containers_one_test;
create unique index containers_one_test on containers (challenge_id) where participation_id is null and not is_check and state <> 'Ended';
create unique index containers_one_check on containers (challenge_id) where is_check and state <> 'Ended';
