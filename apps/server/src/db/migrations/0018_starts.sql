alter table containers
  -- While Pending: what its start waits for or does.
  add phase text not null default 'queued' check (phase in ('queued', 'pulling', 'creating')),
  -- Since when it waits for its turn; starts are served in this order.
  add queued_at timestamptz not null default clock_timestamp(),
  -- Of the images that are pulled; null: unknown.
  add percent integer check (percent between 0 and 100),
  -- The refusal of a failed start, as the calls name it.
  add failure_code text,
  add failed_at timestamptz(3);
create index containers_queue on containers (queued_at, id) where state = 'Pending' and phase = 'queued';
