/** Base images built from Debian packages with mmdebstrap, for use without an image registry. Needs root on Debian. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensureInstalled } from '../../scripts/apt.mjs'
import { rightNode } from '../../scripts/toolchain.mjs'

export const bases = { run: 'vexil.test/node:1', build: 'vexil.test/node-build:1', postgres: 'vexil.test/postgres:15' }

const certificates = '/etc/ssl/certs/ca-certificates.crt'

/** Builds the base images that the engine does not have. `docker` runs a command of the engine. */
export function importBases(docker: (...args: string[]) => string): void {
  if (!ensureInstalled('/usr/bin/mmdebstrap', 'mmdebstrap')) throw new Error('mmdebstrap could not be installed')
  const node = `copy-in ${rightNode()} /usr/local/bin`
  importBase(docker, bases.run, ['libstdc++6'], [node])
  const npm = join(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim(), 'npm')
  const linkNpm = 'chroot "$1" ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm'
  const hooks = [node, 'mkdir -p "$1/usr/local/lib/node_modules"', `copy-in ${npm} /usr/local/lib/node_modules`, linkNpm]
  // A machine may trust additional certificates.
  if (existsSync(certificates)) hooks.push(`copy-in ${certificates} ${dirname(certificates)}`)
  importBase(docker, bases.build, ['ca-certificates', 'gcc', 'libc6-dev'], hooks, [`ENV NODE_EXTRA_CA_CERTS=${certificates}`])
}

function importBase(
  docker: (...args: string[]) => string,
  name: string,
  packages: readonly string[],
  hooks: readonly string[],
  changes: readonly string[] = [],
): void {
  if (docker('images', '--quiet', name) !== '') return
  const folder = mkdtempSync(join(tmpdir(), 'vexil-base-'))
  try {
    const file = join(folder, 'root.tar')
    const args = [
      '--variant=essential',
      ...(packages.length > 0 ? [`--include=${packages.join(',')}`] : []),
      ...hooks.map((hook) => `--customize-hook=${hook}`),
      'bookworm',
      file,
    ]
    const { status, stderr } = spawnSync('mmdebstrap', args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`mmdebstrap failed:\n${stderr}`)
    docker('import', ...changes.flatMap((change) => ['--change', change]), file, name)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Accepts the settings of the official image that deploy/compose.yaml uses, and stores its data below the same folder. */
export function importPostgres(docker: (...args: string[]) => string): void {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-postgres-'))
  try {
    const entry = join(folder, 'entry')
    writeFileSync(entry, entryOfPostgres, { mode: 0o755 })
    importBase(
      docker,
      bases.postgres,
      ['postgresql-15'],
      [`copy-in ${entry} /usr/local/bin`],
      ['ENTRYPOINT ["entry"]', 'VOLUME /var/lib/postgresql'],
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const entryOfPostgres = `#!/bin/sh
set -e
data=/var/lib/postgresql/data
bin=/usr/lib/postgresql/15/bin
as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -e $data ]; then
  install -d -o postgres -g postgres -m 700 $data /run/postgresql
  echo "$POSTGRES_PASSWORD" > /tmp/password
  chown postgres /tmp/password
  as $bin/initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 -E UTF8 --locale=C.UTF-8
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  as $bin/pg_ctl -D $data -w -o "-c listen_addresses= -k /tmp" start
  PGPASSWORD="$POSTGRES_PASSWORD" as $bin/createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
  as $bin/pg_ctl -D $data -w stop
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups $bin/postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/tmp
`
