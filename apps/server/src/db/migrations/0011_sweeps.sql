-- What is tidied up now and then, by one node at a time: whoever moves `due_at` does it.
create table sweeps (
  name text primary key,
  due_at timestamptz(3) not null
);
