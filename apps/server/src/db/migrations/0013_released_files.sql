-- Files that lost a reference with a row, cascades included. Whoever removes files takes them from here after the commit, so that
-- none is forgotten when a process ends in between.
create table released_files (
  id bigint generated always as identity primary key,
  hash text not null
);

create function writeups_release() returns trigger language plpgsql as $$
begin
  insert into released_files (hash) values (old.file_hash);
  return null;
end $$;
create trigger writeups_release_delete after delete on writeups for each row execute function writeups_release();
create trigger writeups_release_update after update on writeups for each row
  when (old.file_hash <> new.file_hash) execute function writeups_release();
