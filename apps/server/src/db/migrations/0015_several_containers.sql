alter table challenges
  -- Containers beside the first one of an instance, which share its network and its life.
  add additional_containers jsonb not null default '[]' check (jsonb_typeof(additional_containers) = 'array'),
  -- TCP ports beside the first one, with their names.
  add named_ports jsonb not null default '[]' check (jsonb_typeof(named_ports) = 'array');

-- The named ports of a container that was started, on the hosts of its first port.
create table container_ports (
  container_id uuid not null references containers on delete cascade,
  name text not null,
  -- From 0, as in the challenge.
  position integer not null,
  -- For the platform, and for players; null behind the platform proxy.
  port integer not null,
  published_port integer,
  -- As of the container.
  host_name text not null default replace(gen_random_uuid()::text, '-', ''),
  primary key (container_id, name)
);
create unique index container_ports_host_name on container_ports (host_name);
