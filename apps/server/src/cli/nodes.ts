import { listNodes } from '../health/nodes.queries.ts'
import type { CommandSpec } from './command.ts'
import { withPlatform } from './command-database.ts'

export const nodesCommand: CommandSpec = {
  name: 'nodes',
  summary: 'list the nodes of the platform; exit code 1 if one did not report for 15 seconds',
  run: (context) =>
    withPlatform(context, {}, async ({ db }) => {
      const nodes = await listNodes(db)
      const lines = nodes.map(({ id, version, url, processes, state, startedAt, seenAt, isLate }) =>
        [
          (isLate ? 'LATE' : state).padEnd(8),
          `v${version}`,
          `${processes} ${processes === 1 ? 'process' : 'processes'}`,
          `started ${startedAt.toISOString()}`,
          `seen ${seenAt.toISOString()}`,
          url ?? '(no VEXIL_NODE_URL)',
          id,
        ].join('  '),
      )
      return {
        lines: lines.length > 0 ? lines : ['No node runs.'],
        json: { nodes },
        foundProblems: nodes.some(({ isLate }) => isLate),
      }
    }),
}
