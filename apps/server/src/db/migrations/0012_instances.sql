-- What the first process of a container returned, where the engine reports it.
alter table containers add exit_code integer;
