-- Renames to standard terms: the flag of a team, the index of a container's network in the range, and files kept by an upload of an
-- administrator.
alter table holdings rename to team_flags;
alter table containers rename column lane to subnet_index;
alter table files rename column held to pinned;

-- Constraints and indexes follow. PostgreSQL 18 names "not null" constraints, too.
do $$
declare item record;
begin
  for item in
    select conrelid::regclass as relation, conname as old,
      regexp_replace(regexp_replace(regexp_replace(conname, '^holdings', 'team_flags'), '_lane', '_subnet_index'), '_held', '_pinned') as new
    from pg_constraint
    where connamespace = current_schema()::regnamespace and conname ~ '^holdings_|^containers_lane|^files_held'
  loop
    execute format('alter table %s rename constraint %I to %I', item.relation, item.old, item.new);
  end loop;
  for item in
    select relname as old, regexp_replace(regexp_replace(relname, '^holdings', 'team_flags'), '_lane', '_subnet_index') as new
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'i' and relname ~ '^holdings_|^containers_lane'
  loop
    execute format('alter index %I rename to %I', item.old, item.new);
  end loop;
  -- The body of a function is text: each function that uses the old name is created again from its definition.
  for item in
    select oid from pg_proc where pronamespace = current_schema()::regnamespace and prosrc ~ '\mholdings\M'
  loop
    execute regexp_replace(pg_get_functiondef(item.oid), '\mholdings\M', 'team_flags', 'g');
  end loop;
end $$;
