-- Names this installation on a shared engine. Written at the first start that has one.
alter table installation add engine_label uuid;

-- A team's container (an instance), or a test container, which has no participation. A row comes before its container and stays a while
-- after it: it holds the pause between two operations, and why it ended.
create table containers (
  id uuid primary key,
  challenge_id integer not null references challenges on delete cascade,
  participation_id integer references participations on delete cascade,
  account_id uuid references accounts on delete set null,
  state text not null default 'Pending' check (state in ('Pending', 'Running', 'Ending', 'Ended')),
  -- The place of an instance under the limit of its team; null where there is no limit.
  slot integer check (slot > 0),
  -- Its network.
  lane integer not null check (lane >= 0),
  image text not null,
  capture boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- A player's last start or end; the next operation waits some seconds from here.
  acted_at timestamptz(3) not null default clock_timestamp(),
  -- Pending: the node that starts it renews this. When it has passed, that node is no more.
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
  -- Why it ended, in one word; `problem` is what the engine said.
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

-- Connections through the platform proxy, on whatever node. A node renews its own.
create table tunnels (
  id uuid primary key,
  container_id uuid not null references containers on delete cascade,
  lease_until timestamptz(3) not null
);
create index tunnels_by_container on tunnels (container_id);
create index tunnels_by_lease on tunnels (lease_until);

-- Isolated containers reach nothing outside.
alter table challenges add network text not null default 'Open' check (network in ('Open', 'Isolated'));
