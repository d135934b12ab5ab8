-- works-with: 0021
-- Token buckets that limit wrong passwords, shared by all nodes (decision 0045). Unlogged: a crash of PostgreSQL empties the table.
create unlogged table sign_in_buckets (
  -- SHA-256 of the bucket's name and its key.
  key bytea primary key check (length(key) = 32),
  -- When the bucket is full again. Each taken token moves this by the time in which one is refilled.
  full_at timestamptz not null
);
create index sign_in_buckets_full_at on sign_in_buckets (full_at);

-- Seconds until each of these buckets has a token. `every`: seconds in which one token is refilled.
create function sign_in_wait(keys bytea[], sizes float8[], every float8[]) returns float8 set lock_timeout = '200ms' as $$
  select coalesce(greatest(max(extract(epoch from b.full_at - clock_timestamp()) - (a.size - 1) * a.every), 0), 0)
  from unnest(keys, sizes, every) as a (key, size, every) join sign_in_buckets b using (key)
$$ language sql volatile;

-- Takes a token from each bucket and returns 0, or takes none and returns the seconds to wait for those that `refuse`.
create function take_sign_in(keys bytea[], sizes float8[], every float8[], refuse boolean[]) returns float8
set lock_timeout = '200ms' as $$
declare
  wait float8;
  instant timestamptz;
begin
  -- Locks the rows in a fixed order.
  insert into sign_in_buckets as b (key, full_at)
  select key, clock_timestamp() from unnest(keys) as a (key) order by key
  on conflict (key) do update set full_at = b.full_at;
  select sign_in_wait(array_agg(a.key), array_agg(a.size), array_agg(a.every)) into wait
  from unnest(keys, sizes, every, refuse) as a (key, size, every, refuse) where a.refuse;
  if wait > 0 then
    return wait;
  end if;
  instant := clock_timestamp();
  update sign_in_buckets b
  set full_at = least(greatest(b.full_at, instant) + make_interval(secs => a.every), instant + make_interval(secs => a.size * a.every))
  from unnest(keys, sizes, every) as a (key, size, every) where b.key = a.key;
  return 0;
end
$$ language plpgsql;

create function return_sign_in(keys bytea[], every float8[]) returns void set lock_timeout = '200ms' as $$
declare
  bucket record;
begin
  -- One by one, in the order in which `take_sign_in` locks them.
  for bucket in select a.key, a.every from unnest(keys, every) as a (key, every) order by a.key loop
    update sign_in_buckets set full_at = full_at - make_interval(secs => bucket.every) where key = bucket.key;
  end loop;
end
$$ language plpgsql;
