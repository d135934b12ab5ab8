alter table challenges
  -- Additional containers of an instance, which share the network and the lifetime of the first one.
  add additional_containers jsonb not null default '[]' check (jsonb_typeof(additional_containers) = 'array'),
  -- Additional TCP ports, with their names.
  add named_ports jsonb not null default '[]' check (jsonb_typeof(named_ports) = 'array');

-- The named ports of a started container, on the hosts of its first port.
create table container_ports (
  container_id uuid not null references containers on delete cascade,
  name text not null,
  -- Index in the challenge's list, from 0.
  position integer not null,
  -- The port for the platform, and the one for players; null behind the platform proxy.
  port integer not null,
  published_port integer,
  -- See containers.host_name.
  host_name text not null default replace(gen_random_uuid()::text, '-', ''),
  primary key (container_id, name)
);
create unique index container_ports_host_name on container_ports (host_name);
