import { Skeleton } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { getWriteup } from '@vexil/contract/writeups'
import { fileLimits } from '@vexil/core/limits'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { usePast } from '../api/use-past.ts'
import { formatBytes } from '../ui/base/bytes.ts'
import { QueryView } from '../ui/base/states.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { Countdown } from '../ui/time/countdown.tsx'
import { When } from '../ui/time/when.tsx'
import c from './writeup-dialog.module.css'
import { type OwnWriteup, WriteupFile } from './writeup-file.tsx'
import { WriteupUpload } from './writeup-upload.tsx'

const writeupQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).writeup,
    queryFn: ({ signal }) => call(getWriteup, { params: { id }, signal }),
  })

interface Props {
  readonly game: number
  readonly onClose: () => void
}

export default function WriteupDialog({ game, onClose }: Props) {
  const { t } = useTranslation()
  const writeup = useQuery(writeupQuery(game))
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('writeup.title')}
      sub={writeup.data && <State submitted={writeup.data.submitted} />}
      size={640}
      tall
    >
      <QueryView query={writeup} waiting={<Skeleton height={180} />}>
        {(data) => <Writeup game={game} writeup={data} />}
      </QueryView>
    </Dialog>
  )
}

function State({ submitted }: { readonly submitted: boolean }) {
  const { t } = useTranslation()
  const Icon = submitted ? IconCircleCheck : IconCircleDashed
  return (
    <span className={submitted ? c.submitted : c.missing}>
      <Icon size={16} stroke={1.8} />
      {t(submitted ? 'writeup.submitted' : 'writeup.missing')}
    </span>
  )
}

function Writeup({ game, writeup }: { readonly game: number; readonly writeup: OwnWriteup }) {
  const { t } = useTranslation()
  const late = usePast(writeup.writeupDeadline)
  return (
    <div className={c.body}>
      <dl className={c.rules}>
        <dt>{t('writeup.deadline')}</dt>
        <dd>
          <When at={writeup.writeupDeadline} style="long" />
          {!late && (
            <>
              {' '}
              <span className={c.left}>
                · <Countdown to={writeup.writeupDeadline} />
              </span>
            </>
          )}
          <p className="small faint">{t('writeup.consequence')}</p>
        </dd>
        <dt>{t('writeup.format')}</dt>
        <dd>{t('writeup.formatRule', { size: formatBytes(fileLimits.writeupBytes) })}</dd>
      </dl>
      {writeup.note.trim() !== '' && (
        <section aria-label={t('writeup.note')}>
          <h3 className={c.part}>{t('writeup.note')}</h3>
          <Markdown source={writeup.note} />
        </section>
      )}
      <WriteupFile writeup={writeup} />
      <WriteupUpload game={game} submitted={writeup.submitted} late={late} />
    </div>
  )
}
