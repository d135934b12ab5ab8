import { IconArrowRight } from '@tabler/icons-react'
import type { CheatInfo } from '@vexil/contract/submissions'
import { numbered } from '../ui/base/feed-list.ts'
import table from '../ui/base/table.module.css'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { When } from '../ui/time/when.tsx'
import { newestFirst } from './cheats.ts'
import { submissionKey } from './feed.ts'
import c from './monitor.module.css'
import { SubmissionHeads } from './submission-table.tsx'

export function CheatTable({ cheats }: { readonly cheats: readonly CheatInfo[] }) {
  const { t } = useTranslation()
  return (
    <table className={`${table.table} ${table.cards} ${c.table}`}>
      <thead>
        <tr>
          <SubmissionHeads>
            <th scope="col">{t('monitor.cheats.owner')}</th>
            <th scope="col" style={{ width: 32 }} aria-hidden />
            <th scope="col">{t('monitor.cheats.submitter')}</th>
          </SubmissionHeads>
        </tr>
      </thead>
      <tbody>
        {numbered(newestFirst(cheats), ({ submission }) => submissionKey(submission)).map(({ key, entry }) => (
          <tr key={key}>
            <td>
              <When at={entry.submission.time} style="exact" className="small faint" />
            </td>
            <td className={c.words}>{entry.ownedTeam.team.name}</td>
            <td className={c.sent}>
              <IconArrowRight size={18} stroke={1.8} />
            </td>
            <td className={c.words}>{entry.submitTeam.team.name}</td>
            <td className="cut dim">{entry.submission.user}</td>
            <td className="cut">{entry.submission.challenge}</td>
            <td className={`${c.flagText} mono`}>{entry.submission.answer}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
