import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forwardNode, forwardPython } from '@vexil/contract/instances'
import type { FastifyReply } from 'fastify'
import { type Http, route } from '../http/route.ts'

/** Two single-file programs with which players open a local port to an instance behind the platform proxy. */
export function forwardRoutes(http: Http): void {
  const node = program('forward.mjs', 'text/javascript')
  const python = program('forward.py', 'text/x-python')
  route(http, forwardNode, ({ reply }) => node(reply))
  route(http, forwardPython, ({ reply }) => python(reply))
}

function program(name: string, type: string): (reply: FastifyReply) => Promise<void> {
  const bytes = readFileSync(join(import.meta.dirname, name))
  return async (reply) => {
    reply.type(`${type}; charset=utf-8`).header('content-disposition', `attachment; filename="${name}"`)
    await reply.header('cache-control', 'no-cache').send(bytes)
  }
}
