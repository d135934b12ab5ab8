-- works-with: 0021
-- no-transaction
-- Each new connection through the proxy asks whether another running container has the same address and port.
create index concurrently if not exists containers_by_place on containers (host, port) where state = 'Running';
