-- The latest pull of each image of enabled challenges to all nodes of the engine.
create table image_pulls (
  image text primary key,
  -- When a change of a challenge, an organiser or the coming start of a game last asked for it; it is pulled unless a pull began since.
  wanted_at timestamptz(3) not null default clock_timestamp(),
  -- A place among the pulls of all nodes of the platform at a time, while one pulls it.
  slot integer check (slot between 1 and 3),
  -- The node that pulls it renews this. When it has passed, that node is no more.
  running_until timestamptz(3),
  -- When the last pull that ended began.
  pulled_at timestamptz(3),
  -- node, state and problem of each node of the engine.
  nodes jsonb not null default '[]',
  check ((slot is null) = (running_until is null))
);
create unique index image_pulls_slot on image_pulls (slot) where slot is not null;
