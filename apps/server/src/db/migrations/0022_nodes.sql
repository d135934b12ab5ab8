-- works-with: 0021
-- Nodes of the platform. Each renews its row every 5 seconds; rows are deleted at a stop, or 10 minutes after they were renewed.
create table nodes (
  id uuid primary key,
  version text not null,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  url text,
  processes int not null,
  state text not null check (state in ('Serving', 'Draining'))
);
