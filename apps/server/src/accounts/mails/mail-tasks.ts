import type { Tasks } from '../../db/jobs.ts'
import type { Deps } from '../../deps.ts'
import { writeRecoveryMail } from '../recover-account.ts'
import { sendMail } from './send-mail.ts'

export function mailTasks(deps: Pick<Deps, 'db' | 'config' | 'log' | 'mailer' | 'secrets' | 'settings'>): Tasks {
  if (!deps.mailer.configured) return {}
  return {
    'recover-account': (request) => writeRecoveryMail(deps, request),
    'send-mail': ({ mail }, last) => sendMail(deps, mail, last),
  }
}
