import { IconAlertTriangle, IconCheck, IconHourglass, IconQuestionMark, IconX } from '@tabler/icons-react'
import type { Submission } from '@vexil/contract/submissions'
import type { AnswerResult } from '@vexil/core/vocabulary'
import type { ReactNode } from 'react'
import { CopyButton } from '../ui/base/copy.tsx'
import { numbered } from '../ui/base/feed-list.ts'
import table from '../ui/base/table.module.css'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { When } from '../ui/time/when.tsx'
import { submissionKey } from './feed.ts'
import c from './monitor.module.css'

const icons = {
  FlagSubmitted: IconHourglass,
  Accepted: IconCheck,
  WrongAnswer: IconX,
  CheatDetected: IconAlertTriangle,
  NotFound: IconQuestionMark,
}

function ResultWord({ status }: { readonly status: AnswerResult }) {
  const { t } = useTranslation()
  const Icon = icons[status]
  return (
    <span className={`${c.result} ${c[status]}`}>
      <Icon size={16} stroke={2} />
      {t(`monitor.result.${status}`)}
    </span>
  )
}

export function SubmissionHeads({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <>
      <th scope="col" className={c.colTime}>
        {t('monitor.submissions.time')}
      </th>
      {children}
      <th scope="col" className={c.colUser}>
        {t('monitor.submissions.user')}
      </th>
      <th scope="col">{t('monitor.submissions.challenge')}</th>
      <th scope="col" className={c.colFlag}>
        {t('monitor.submissions.flag')}
      </th>
    </>
  )
}

interface Props {
  readonly submissions: readonly Submission[]
  readonly fresh: ReadonlySet<string>
}

export function SubmissionTable({ submissions, fresh }: Props) {
  const { t } = useTranslation()
  return (
    <table className={`${table.table} ${table.cards} ${c.table}`}>
      <thead>
        <tr>
          <th scope="col" className={c.colResult}>
            {t('monitor.submissions.result')}
          </th>
          <SubmissionHeads>
            <th scope="col">{t('monitor.submissions.team')}</th>
          </SubmissionHeads>
        </tr>
      </thead>
      <tbody>
        {numbered(submissions, submissionKey).map(({ key, entry }) => (
          <tr key={key} data-fresh={fresh.has(submissionKey(entry)) || undefined}>
            <td>
              <ResultWord status={entry.status} />
            </td>
            <td>
              <When at={entry.time} style="exact" className="small faint" />
            </td>
            <td className="cut">{entry.team}</td>
            <td className="cut dim">{entry.user}</td>
            <td className="cut">{entry.challenge}</td>
            <td>
              <span className={c.flag}>
                <span className={`${c.flagText} mono`} title={entry.answer}>
                  {entry.answer}
                </span>
                <CopyButton text={entry.answer} label={t('monitor.submissions.copyFlag')} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
