-- works-with: 0021
-- When the captain last changed the name of a team that takes part in a game.
alter table teams add column renamed_at timestamptz(3);
