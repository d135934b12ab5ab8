alter table containers
  -- Pending: the current step of its start.
  add phase text not null default 'queued' check (phase in ('queued', 'pulling', 'creating')),
  -- When it joined the queue; starts are processed in this order.
  add queued_at timestamptz not null default clock_timestamp(),
  -- Progress of the image pulls; null: unknown.
  add percent integer check (percent between 0 and 100),
  -- Error code of a failed start, as in the calls.
  add failure_code text,
  add failed_at timestamptz(3);
create index containers_queue on containers (queued_at, id) where state = 'Pending' and phase = 'queued';
