alter table challenges
  -- Seconds within which the service of an instance must answer; 0: not checked.
  add ready_timeout integer not null default 0 check (ready_timeout between 0 and 300),
  -- What it must send on a new connection; empty: accepting the connection is enough.
  add ready_text text not null default '',
  -- When an instance first did not answer in time; null after a later one did, or after the challenge was changed.
  add silent_since timestamptz(3);

alter table containers
  -- The exit code of the container's first process, if the engine reports it.
  add exit_code integer,
  -- The node that starts it and waits for its service (`node-id` in its data folder): its leases end when the node is started again.
  add node uuid,
  -- The time by which the service must answer; null: not checked.
  add ready_until timestamptz(3),
  add ready_at timestamptz(3);
create index containers_waiting on containers (lease_until) where ready_until is not null and ready_at is null and state = 'Running';
