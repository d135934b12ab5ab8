import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseLocation, placeName, repairCluster, socketFolder, systemProgram } from './embedded-place.ts'

test.runIf(existsSync('/usr/sbin/useradd'))('system programs are found outside of the PATH', () => {
  expect(systemProgram('useradd')).toBe('/usr/sbin/useradd')
})

test('a program in none of these folders is left to the PATH', () => {
  expect(systemProgram('no-such-program')).toBe('no-such-program')
})

test('the data folder of a platform that is not started as root has the database, and is closed to other users', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'vexil-place-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const made = join(folder, 'not/there/yet')
  expect([await databaseLocation(folder, null), await databaseLocation(made, null)]).toEqual([folder, made])
  expect([folder, made].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700])
})

test('a data folder that names a database elsewhere is refused when that is missing, or no name of one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-place-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const owner = { uid: 995, gid: 994 }
  const named = (name: string) => {
    writeFileSync(join(folder, placeName), name)
    return databaseLocation(folder, owner)
  }
  await expect(named('../../../etc\n')).rejects.toThrow('does not contain the name of a database folder')
  const id = '00000000ffffffff'
  await expect(named(`${id}\n`)).rejects.toThrow(`was in /var/lib/vexil/${id}, which no longer exists`)
})

test.runIf(process.getuid?.() === 0)(
  'a copied cluster is given to its user without a pause in heartbeats; targets of links are not',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vexil-place-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const cluster = join(folder, 'pg18')
    mkdirSync(join(cluster, 'global'), { recursive: true })
    writeFileSync(join(cluster, 'PG_VERSION'), '18')
    chmodSync(cluster, 0o755)
    mkdirSync(join(folder, 'elsewhere'))
    writeFileSync(join(folder, 'elsewhere', 'file'), '')
    symlinkSync(join(folder, 'elsewhere'), join(cluster, 'link'))
    let turns = 0
    setImmediate(() => turns++)
    await repairCluster(cluster, { uid: 995, gid: 994 })
    const ownerOf = (path: string) => lstatSync(join(folder, path)).uid
    expect(['pg18', 'pg18/PG_VERSION', 'pg18/global', 'pg18/link'].map(ownerOf)).toEqual([995, 995, 995, 995])
    expect(['elsewhere', 'elsewhere/file'].map(ownerOf)).toEqual([0, 0])
    expect(turns).toBe(1)
    expect(statSync(cluster).mode & 0o777).toBe(0o700)
  },
)

test('the socket is beside the database, or in a private folder in /tmp if that path is too long', () => {
  const folder = mkdtempSync('/tmp/vexil-place-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // 103 bytes with the name of the socket is the most.
  const name = 'n'.repeat(103 - `${folder}//run/.s.PGSQL.5432`.length)
  expect(socketFolder(join(folder, name), null)).toBe(join(folder, name, 'run'))
  const far = socketFolder(join(folder, `${name}n`), null)
  onTestFinished(() => rmSync(far, { recursive: true }))
  expect(socketFolder(join(folder, `${name}n`), null)).toBe(far)
  expect(far).toMatch(/^\/tmp\/vexil-[0-9a-f]{12}$/)
  expect([join(folder, name, 'run'), far].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700])
  // What another user has put there is not used.
  const puts = [
    () => writeFileSync(far, ''),
    () => {
      mkdirSync(far)
      chownSync(far, 12_345, 12_345)
    },
  ]
  for (const put of process.getuid?.() === 0 ? puts : puts.slice(0, 1)) {
    rmSync(far, { recursive: true })
    put()
    const other = socketFolder(join(folder, `${name}n`), null)
    onTestFinished(() => rmSync(other, { recursive: true }))
    expect([other === far, statSync(other).isDirectory()]).toEqual([false, true])
  }
})
