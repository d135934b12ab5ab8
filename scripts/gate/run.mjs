/** Starts the programs of a run, several at the same time, and prints their lines as they arrive. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { rightNode, root, toolEnvironment } from '../toolchain.mjs'

/**
 * Runs a program with the required version of Node and prints its lines, each after `name`. With `quiet` they are only returned.
 * @returns {Promise<{ status: number, output: string, errors: string }>} the standard output, and the standard error without colours
 */
export function run(name, args, { env = {}, quiet = false } = {}) {
  const child = spawn(rightNode(), args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: toolEnvironment(env) })
  const output = []
  const errors = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line)
    if (!quiet) console.log(`${name} | ${line}`)
  })
  createInterface({ input: child.stderr }).on('line', (line) => {
    errors.push(stripVTControlCharacters(line))
    console.error(`${name} | ${line}`)
  })
  const text = (lines) => lines.map((line) => `${line}\n`).join('')
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ status: code ?? 1, output: text(output), errors: text(errors) })),
  )
}
