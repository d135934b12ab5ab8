import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { freshDatabase } from '../../test/database.ts'
import { addJob, type Jobs, openJobs, type Tasks } from './jobs.ts'
import { inTransaction } from './transaction.ts'

const database = await freshDatabase()
const { db, pool } = database
const faults: unknown[] = []
let open: Jobs[] = []

afterEach(async () => {
  await Promise.all(open.map((jobs) => jobs.close()))
  open = []
  await pool.query('delete from graphile_worker._private_jobs')
  expect(faults).toEqual([])
})
afterAll(() => database.drop())

async function node(task: Tasks['send-mail']): Promise<Jobs> {
  const jobs = openJobs(database, (error) => faults.push(error))
  open.push(jobs)
  await jobs.start(task ? { 'send-mail': task } : {})
  return jobs
}
const add = (mail: number, attempts = 3) => inTransaction(db, (tx) => addJob(tx, 'send-mail', { mail }, { attempts }))
const waiting = async () =>
  (await pool.query('select attempts, locked_by from graphile_worker._private_jobs order by id')).rows as {
    attempts: number
    locked_by: string | null
  }[]
/** Makes pending retries due now. */
const hurry = () => pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null')

test('a job starts after the commit of its transaction, and never after a rollback', async () => {
  const done: number[] = []
  await node(async ({ mail }) => void done.push(mail))
  await inTransaction(db, async (tx) => {
    await addJob(tx, 'send-mail', { mail: 1 }, { attempts: 1 })
    await sleep(300)
    expect(done).toEqual([])
  })
  await inTransaction(db, async (tx) => {
    await addJob(tx, 'send-mail', { mail: 2 }, { attempts: 1 })
    throw new Error('rolled back')
  }).catch(() => undefined)
  await vi.waitFor(() => expect(done).toEqual([1]), 5000)
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), 5000)
})

test('a job written while no node works runs later', async () => {
  await add(3)
  await node(undefined)
  await sleep(100)
  expect(await waiting()).toMatchObject([{ attempts: 0 }])
  const done: number[] = []
  await node(async ({ mail }) => void done.push(mail))
  await vi.waitFor(() => expect(done).toEqual([3]), 5000)
})

test('only one of several nodes runs a job', async () => {
  const done: number[] = []
  for (let i = 0; i < 3; i++) await node(async ({ mail }) => void done.push(mail))
  await Promise.all(Array.from({ length: 40 }, (_, i) => add(i)))
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), 10_000)
  expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i))
})

test('a failed job is retried the configured number of times, and the last attempt is marked as such', async () => {
  const tries: boolean[] = []
  await node(async (_, last) => {
    tries.push(last)
    throw new Error('not now')
  })
  await add(4, 3)
  await vi.waitFor(async () => {
    await hurry()
    expect(tries.length).toBeGreaterThanOrEqual(3)
  })
  await hurry()
  await vi.waitFor(async () => expect(await waiting()).toEqual([{ attempts: 3, locked_by: null }]))
  expect(tries).toEqual([false, false, true])
})

test('a stop waits for running jobs', async () => {
  let done = false
  const jobs = await node(async () => {
    await sleep(400)
    done = true
  })
  await add(5)
  await vi.waitFor(async () => expect((await waiting())[0]?.locked_by).toBeTruthy(), 5000)
  await jobs.close()
  expect(done).toBe(true)
  expect(await waiting()).toEqual([])
})

test('a job that does not finish blocks no other, is abandoned when the node stops, and another node takes it', async () => {
  const others: number[] = []
  const jobs = await node(({ mail }) =>
    mail === 6 ? new Promise<void>(() => undefined) : Promise.resolve(void others.push(mail)),
  )
  await add(6)
  await vi.waitFor(async () => expect((await waiting())[0]?.locked_by).toBeTruthy(), 5000)
  await add(60)
  await vi.waitFor(() => expect(others).toEqual([60]), 5000)
  await jobs.close()
  expect(await waiting()).toMatchObject([{ locked_by: null, attempts: 1 }])
  const done: number[] = []
  await node(async ({ mail }) => void done.push(mail))
  await vi.waitFor(async () => {
    await hurry()
    expect(done).toEqual([6])
  }, 10_000)
})

test('when its connections fail the node continues with new ones', async () => {
  const done: number[] = []
  await node(async ({ mail }) => void done.push(mail))
  await pool.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'vexil jobs'`)
  // Several jobs: a session that takes a job and ends without a result keeps it for five minutes, like the session of a killed node.
  let last = 7
  await vi.waitFor(
    async () => {
      await add(++last)
      expect(done).not.toEqual([])
    },
    // On a busy machine the library's pauses between two tries add up.
    { timeout: 100_000, interval: 1000 },
  )
})

test('a node whose connection fails while it reads the tasks of the queue continues with a new one', async () => {
  const done: number[] = []
  const holder = await pool.connect()
  await holder.query('begin; lock table graphile_worker._private_tasks in share row exclusive mode')
  await node(async ({ mail }) => void done.push(mail))
  onTestFinished(() => holder.release(true))
  await vi.waitFor(async () => {
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where application_name = 'vexil jobs' and wait_event_type = 'Lock'`,
    )
    expect(rowCount).toBe(1)
  }, 5000)
  await holder.query('rollback')
  await add(9)
  await vi.waitFor(() => expect(done).toEqual([9]), 30_000)
})

test('a job of a killed node is reclaimed', async () => {
  await add(7)
  await pool.query(`update graphile_worker._private_jobs set locked_by = 'gone', locked_at = now() - interval '6 minutes'`)
  const done: number[] = []
  await node(async ({ mail }) => void done.push(mail))
  await vi.waitFor(() => expect(done).toEqual([7]), 5000)
})
