import * as contract from '@vexil/contract/backup'
import { mustKnowPassword } from '../accounts/change-password.ts'
import type { SignInLimits } from '../accounts/sign-in-limits.ts'
import type { Deps } from '../deps.ts'
import { disposition } from '../files/delivery.ts'
import { type DeviceOwner, openDevices } from '../http/known-device.ts'
import { networkOf } from '../http/network.ts'
import { type Http, route } from '../http/route.ts'
import { streamChunks } from '../http/stream-chunks.ts'
import { downloadBackup } from './download-backup.ts'

export function backupRoutes(http: Http, deps: Deps, limits: SignInLimits): void {
  const devices = openDevices(deps.secrets)

  route(http, contract.downloadBackup, async ({ body, ip, request, reply, by }) => {
    const deviceOf = (owner: DeviceOwner) => devices.known(request, owner)
    await mustKnowPassword(deps, limits, { account: by.id, network: networkOf(ip), deviceOf }, body.password)
    const { name, bytes, stream } = await downloadBackup(deps, by, { withKey: body.withKey === true })
    reply.type('application/x-tar').header('content-length', bytes).header('content-disposition', disposition('attachment', name))
    await streamChunks(reply, stream, deps.onError)
  })
}
