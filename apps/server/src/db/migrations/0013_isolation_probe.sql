-- The latest run of the isolation probe, by any node: at most one row.
create table isolation_probes (
  id integer primary key default 1 check (id = 1),
  -- While a run is under way. When it has passed, the node that ran it is no more.
  running_until timestamptz(3),
  finished_at timestamptz(3),
  -- Why nothing was tried.
  problem text,
  -- network, target, address, port and result of each attempt.
  attempts jsonb not null default '[]'
);
