-- The latest run of the isolation probe, by any node: at most one row.
create table isolation_probes (
  id integer primary key default 1 check (id = 1),
  -- Set during a run. After this time the node that executes it is considered dead.
  running_until timestamptz(3),
  finished_at timestamptz(3),
  -- Why no attempt was made.
  problem text,
  -- network, target, address, port and result of each attempt.
  attempts jsonb not null default '[]'
);

alter table challenges
  -- Restrictions of the container; strict: no capabilities, no new privileges, a read-only root, an unprivileged user.
  add profile text not null default 'default' check (profile in ('default', 'strict')),
  -- Runtime class on Kubernetes, runtime name on Docker; empty: the default of the engine.
  add runtime text not null default '';
