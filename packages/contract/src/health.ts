import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { DateTime, Guid, Int, Nullable, OneOf } from './shapes.ts'

export const healthChecks = [
  'settings',
  'database',
  'clock',
  'disk',
  'files',
  'mail',
  'captcha',
  'engine',
  'backup',
  'proxy',
  'faults',
] as const
export type HealthCheckName = (typeof healthChecks)[number]

export const healthLevels = ['ok', 'warning', 'error'] as const

/** `Late`: it did not report for 15 seconds. */
export const nodeStates = ['Serving', 'Draining', 'Late'] as const

export const HealthReport = Type.Object({
  checkedAt: DateTime,
  checks: Type.Array(
    Type.Object({
      name: OneOf(healthChecks),
      level: OneOf(healthLevels),
      text: Type.String(),
      fix: Nullable(Type.String()),
    }),
  ),
  nodes: Type.Array(
    Type.Object({
      id: Guid,
      version: Type.String(),
      startedAt: DateTime,
      seenAt: DateTime,
      url: Nullable(Type.String()),
      processes: Int,
      state: OneOf(nodeStates),
    }),
  ),
  faults: Type.Array(Type.Object({ route: Type.String(), count: Int, lastAt: DateTime })),
})
export type HealthReport = Type.Static<typeof HealthReport>

export const getHealth = endpoint('GET /api/admin/health', {
  access: 'admin',
  ours: true,
  summary: 'Get the health of the platform and of what it depends on',
  reply: HealthReport,
})
