import * as contract from '@vexil/contract/captures'
import { CaptureFileNotFound, CaptureNotFound } from '@vexil/core/rules'
import type { ChallengeCategory, ChallengeType } from '@vexil/core/vocabulary'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { listCapturing } from './instances.queries.ts'

/** Captured traffic, for monitors. Without an engine nothing is ever captured. */
export function captureRoutes(http: Http, { db }: Pick<Deps, 'db'>): void {
  route(http, contract.listCaptures, async ({ params }) =>
    (await listCapturing(db, params.id)).map(({ enabled, ...row }) => ({
      ...row,
      category: row.category as ChallengeCategory,
      type: row.type as ChallengeType,
      isEnabled: enabled,
      count: 0,
    })),
  )

  const noCapture = async () => {
    throw new CaptureNotFound()
  }
  route(http, contract.listCaptureTeams, noCapture)
  route(http, contract.listCaptureFiles, noCapture)
  route(http, contract.downloadCaptures, noCapture)
  route(http, contract.deleteCaptures, noCapture)

  const noFile = async () => {
    throw new CaptureFileNotFound()
  }
  route(http, contract.downloadCapture, noFile)
  route(http, contract.deleteCapture, noFile)
}
