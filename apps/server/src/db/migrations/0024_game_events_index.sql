-- works-with: 0021
-- no-transaction
-- Deleting a participation deletes its events.
create index concurrently if not exists game_events_by_participation on game_events (participation_id);
