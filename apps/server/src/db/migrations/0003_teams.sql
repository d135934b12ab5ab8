create table teams (
  id integer generated always as identity primary key,
  name text not null check (name ~ '\S'),
  bio text,
  avatar_hash text references files,
  locked boolean not null default false,
  invite_token text not null,
  captain_id uuid not null references accounts,
  created_at timestamptz(3) not null default clock_timestamp()
);
create unique index teams_one_per_captain on teams (captain_id);
create index teams_avatar on teams (avatar_hash) where avatar_hash is not null;

create table team_members (
  team_id integer not null references teams on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  joined_at timestamptz(3) not null default clock_timestamp(),
  constraint team_members_once primary key (team_id, account_id)
);
create index team_members_by_account on team_members (account_id);
