/** Images of challenges for tests, made from Debian's static busybox. */
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const listen = (program: string, port = 7000) => `echo starting; echo ready; exec nc -ll -p ${port} -e ${program}`

/** The commands of the images. */
export const commands = {
  echo: listen('/bin/flag'),
  /** Like `echo`, for a second container in the same network. */
  second: listen('/bin/flag', 7001),
  /** Runs the commands that it receives. */
  shell: listen('/bin/sh'),
  http: 'exec httpd -f -p 7000 -h /www',
  /** Listens when there is a file `/tmp/go`. */
  late: `until [ -e /tmp/go ]; do sleep 0.1; done; ${listen('/bin/flag')}`,
  /** Solves the `echo` at HOST and PORT. */
  solver:
    'echo "asking $HOST:$PORT, FLAG=[$FLAG]"; until nc "$HOST" "$PORT" </dev/null; do sleep 0.2; done; echo solved; exec sleep 600',
  crash: 'echo "cannot start with $FLAG" >&2; exit 3',
  fork: '(while :; do sleep 600 & done) & exec sleep 600',
  fill: 'dd if=/dev/zero of=/filled bs=1M count=160 2>/dev/null; echo filled; exec sleep 600',
  /** The same into a volume that the image asks for. */
  volume: 'dd if=/dev/zero of=/volume/filled bs=1M count=160 2>/dev/null; echo filled; exec sleep 600',
  burn: 'while :; do :; done',
} as const

export const imageTag = createHash('sha256').update(JSON.stringify(commands)).digest('hex').slice(0, 12)

/** Names such as `vexil-test/echo:…`. */
export const images = Object.fromEntries(Object.keys(commands).map((name) => [name, `vexil-test/${name}:${imageTag}`])) as Record<
  keyof typeof commands,
  string
>

/** The files of all images, in a folder that the caller removes. */
export function makeImageRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-image-'))
  for (const part of ['bin', 'www', 'volume', 'tmp']) mkdirSync(join(folder, part))
  cpSync('/bin/busybox', join(folder, 'bin/busybox'))
  for (const program of ['sh', 'nc', 'httpd', 'sleep', 'dd', 'cat']) symlinkSync('busybox', join(folder, 'bin', program))
  writeFileSync(join(folder, 'bin/flag'), '#!/bin/sh\n[ "$FLAG" ] || FLAG="no flag"\necho "$FLAG"\nexec cat\n')
  chmodSync(join(folder, 'bin/flag'), 0o755)
  writeFileSync(join(folder, 'www/index.html'), '<h1>a challenge</h1>\n')
  return folder
}
