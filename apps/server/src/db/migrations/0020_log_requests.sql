-- The request for which an entry was written, and the route of a call that failed: method and path template, without values.
alter table logs add column request_id text, add column route text;
create index logs_of_faults on logs (time) where route is not null;
