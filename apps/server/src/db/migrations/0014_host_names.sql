-- A random host name of each container, for TLS connections (VEXIL_CONTAINER_TLS). It is not the id, which is the address of the proxy.
alter table containers add column host_name text not null default replace(gen_random_uuid()::text, '-', '');
create unique index containers_host_name on containers (host_name);
