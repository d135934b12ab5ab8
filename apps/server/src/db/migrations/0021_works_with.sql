-- jobs: graphile-worker 0.18.0
-- The number of the oldest migration whose release works with the schema after this one; null: none before it.
alter table migrations add column works_with int;
