-- Identifies this installation on a shared engine. Written at the first start with an engine.
alter table installation add engine_label uuid;

-- A team's container (an instance), or a test container, which has no participation. A row is inserted before its container is created
-- and deleted some time after its end: it has the time of the last operation, and why the container ended.
create table containers (
  id uuid primary key,
  challenge_id integer not null references challenges on delete cascade,
  participation_id integer references participations on delete cascade,
  account_id uuid references accounts on delete set null,
  state text not null default 'Pending' check (state in ('Pending', 'Running', 'Ending', 'Ended')),
  -- The slot of an instance within the limit of its team; null without a limit.
  slot integer check (slot > 0),
  -- Its network.
  lane integer not null check (lane >= 0),
  image text not null,
  capture boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- A player's last start or end; the next operation is allowed some seconds later.
  acted_at timestamptz(3) not null default clock_timestamp(),
  -- Pending: renewed by the node that starts it. After this time that node is considered dead.
  lease_until timestamptz(3) not null,
  started_at timestamptz(3),
  stops_at timestamptz(3),
  engine_id text,
  host text,
  port integer,
  proxied boolean not null default false,
  published_host text,
  published_port integer,
  ended_at timestamptz(3),
  -- Why it ended, in one word; `problem` is the message of the engine.
  ended_by text,
  problem text,
  check (state <> 'Running' or (started_at is not null and stops_at is not null and host is not null and port is not null)),
  check ((state = 'Ended') = (ended_at is not null))
);
create unique index containers_one_per_instance on containers (participation_id, challenge_id)
  where participation_id is not null and state <> 'Ended';
create unique index containers_one_test on containers (challenge_id) where participation_id is null and state <> 'Ended';
create unique index containers_slot on containers (participation_id, slot) where state in ('Pending', 'Running');
create unique index containers_lane on containers (lane) where state <> 'Ended';
create index containers_by_instance on containers (participation_id, challenge_id, acted_at);
create index containers_by_challenge on containers (challenge_id);
create index containers_by_account on containers (account_id) where account_id is not null;
create index containers_ended on containers (ended_at) where state = 'Ended';

-- Connections through the platform proxy on all nodes. Each node renews its own.
create table tunnels (
  id uuid primary key,
  container_id uuid not null references containers on delete cascade,
  lease_until timestamptz(3) not null
);
create index tunnels_by_container on tunnels (container_id);
create index tunnels_by_lease on tunnels (lease_until);

-- Isolated containers cannot reach other networks.
alter table challenges add network text not null default 'Open' check (network in ('Open', 'Isolated'));
