/** A throwaway PostgreSQL 15, the oldest supported version. Existing clusters of the machine are not changed. */
import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from './apt.mjs'
import { makeDatabaseFolder } from './test-folder.mjs'

const BIN = '/usr/lib/postgresql/15/bin'
const NAME = 'integration tests on PostgreSQL 15'

/**
 * Calls `work` with the address of such a server and the data for restarting it, and waits for it; or calls `skip` with the reason why there is no server.
 * VEXIL_TEST_POSTGRES=18 disables it.
 */
export async function withPostgres15(work, skip) {
  if (process.env.VEXIL_TEST_POSTGRES && !process.env.VEXIL_TEST_POSTGRES.split(',').includes('15')) return
  if (process.getuid?.() !== 0) return skip(NAME, 'only root can start one under another user')
  if (!ensureInstalled(BIN, 'postgresql-15')) return skip(NAME, 'postgresql-15 could not be installed by apt')
  const owner = vexilUser()
  if (!owner) return skip(NAME, 'the system user vexil could not be made')
  const folder = makeDatabaseFolder('pg15')
  chownSync(folder, owner.uid, owner.gid)
  const run = (program, ...args) =>
    spawnSync(join(BIN, program), args, {
      cwd: '/',
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      ...owner,
    }).status === 0
  const data = join(folder, 'data')
  const options = `-c listen_addresses='' -c unix_socket_directories=${folder} -c max_connections=200 -c fsync=off -c log_min_messages=fatal`
  try {
    const ready =
      run(
        'initdb',
        '-D',
        data,
        '-U',
        'vexil',
        '-A',
        'trust',
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '--no-sync',
        '--no-instructions',
      ) && run('pg_ctl', 'start', '-w', '-s', '-D', data, '-l', join(folder, 'log'), '-o', options)
    if (!ready) return skip(NAME, 'it does not start')
    await work(`postgres://vexil@localhost/postgres?host=${encodeURIComponent(folder)}`, { data, bin: BIN, owner })
  } finally {
    if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', 'stop', '-s', '-m', 'immediate', '-D', data)
    rmSync(folder, { recursive: true, force: true })
  }
}

function vexilUser() {
  const readId = (what) => Number(spawnSync('id', [what, 'vexil'], { encoding: 'utf8' }).stdout || Number.NaN)
  if (Number.isNaN(readId('-u')))
    // /usr/sbin is not always in the PATH of root.
    spawnSync(existsSync('/usr/sbin/useradd') ? '/usr/sbin/useradd' : 'useradd', [
      '--system',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/usr/sbin/nologin',
      '--user-group',
      'vexil',
    ])
  const owner = { uid: readId('-u'), gid: readId('-g') }
  return Number.isNaN(owner.uid) ? null : owner
}
