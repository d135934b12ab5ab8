alter table challenges
  -- Seconds within which the service of an instance must answer; 0: not asked.
  add ready_timeout integer not null default 0 check (ready_timeout between 0 and 300),
  -- What it must send on a new connection; empty: it only must accept one.
  add ready_text text not null default '',
  -- Since when an instance has not answered in time; null when a later one did, or when the challenge was changed.
  add silent_since timestamptz(3);

alter table containers
  -- What the first process of the container returned, where the engine reports it.
  add exit_code integer,
  -- The node that starts it, and waits for its service (`node-id` in its data folder): its leases end when it starts anew.
  add node uuid,
  -- Until when the service must answer; null: not asked.
  add ready_until timestamptz(3),
  add ready_at timestamptz(3);
create index containers_waiting on containers (lease_until) where ready_until is not null and ready_at is null and state = 'Running';
