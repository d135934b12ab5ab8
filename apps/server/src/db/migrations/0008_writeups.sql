-- The writeup of a team in a game. The name is stored here, not with the file: two teams may submit the same bytes.
create table writeups (
  participation_id integer primary key references participations on delete cascade,
  file_hash text not null references files,
  file_name text not null,
  uploaded_at timestamptz(3) not null default clock_timestamp()
);
create index writeups_by_file on writeups (file_hash);

create function writeups_release() returns trigger language plpgsql as $$
begin
  insert into released_files (hash) values (old.file_hash);
  return null;
end $$;
create trigger writeups_release_delete after delete on writeups for each row execute function writeups_release();
create trigger writeups_release_update after update on writeups for each row
  when (old.file_hash <> new.file_hash) execute function writeups_release();
