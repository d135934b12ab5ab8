alter table containers
  -- What the first process of the container returned, where the engine reports it.
  add exit_code integer,
  -- The node that starts it (`node-id` in its data folder): its leases end when it starts anew.
  add node uuid;
