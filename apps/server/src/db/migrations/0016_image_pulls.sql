-- The latest pull of each image of enabled challenges, to all nodes of the engine.
create table image_pulls (
  image text primary key,
  -- When a pull was last requested: by a change of a challenge, by an organiser, or before the start of a game. It is due unless a pull
  -- began later.
  wanted_at timestamptz(3) not null default clock_timestamp(),
  -- A slot among the concurrent pulls of all nodes of the platform, during a pull.
  slot integer check (slot between 1 and 3),
  -- Renewed by the node that pulls it. After this time that node is considered dead.
  running_until timestamptz(3),
  -- When the last finished pull began.
  pulled_at timestamptz(3),
  -- node, state and problem of each node of the engine.
  nodes jsonb not null default '[]',
  check ((slot is null) = (running_until is null))
);
create unique index image_pulls_slot on image_pulls (slot) where slot is not null;
