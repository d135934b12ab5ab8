-- The writeup of a team in a game. The name is kept here, not with the file: two teams may hand in the same bytes.
create table writeups (
  participation_id integer primary key references participations on delete cascade,
  file_hash text not null references files,
  file_name text not null,
  uploaded_at timestamptz(3) not null default clock_timestamp()
);
create index writeups_by_file on writeups (file_hash);
