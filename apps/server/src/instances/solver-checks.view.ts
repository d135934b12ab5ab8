import type { SolverCheck } from '@vexil/contract/challenges'
import { wireTime } from '@vexil/contract/wire'
import type { CheckDetailRow, CheckRow } from './solver-checks.queries.ts'

export const checkView = ({ id, cause, state, askedAt, startedAt, endedAt, problem }: CheckRow): SolverCheck => ({
  ...{ id, cause, state, problem },
  askedAt: wireTime(askedAt),
  startedAt: startedAt && wireTime(startedAt),
  endedAt: endedAt && wireTime(endedAt),
})

export const checkDetailView = (row: CheckDetailRow) => ({ ...checkView(row), output: row.output })
