import { Pagination } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatBytes } from '../ui/base/bytes.ts'
import { QueryView, Waiting } from '../ui/base/states.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { useFormats } from '../ui/time/time.ts'
import { type Capture, previewBytes, previewPackets } from './capture.ts'
import { PacketRow } from './packet-row.tsx'
import c from './traffic.module.css'
import { type CaptureFile, captureQuery } from './traffic.queries.ts'

const page = 100
/** Names of facts that the platform writes into a capture; other tools may write others. */
const factNames = ['Challenge', 'ChallengeId', 'Team', 'TeamId', 'ContainerId', 'Flag'] as const
const isFact = (name: string): name is (typeof factNames)[number] => factNames.some((known) => known === name)

interface Props {
  readonly game: number
  readonly cid: number
  readonly pid: number
  readonly file: CaptureFile
  readonly onClose: () => void
}

export function CaptureDialog({ game, cid, pid, file, onClose }: Props) {
  const { t } = useTranslation()
  const query = useQuery(captureQuery(game, cid, pid, file.fileName))
  const unreadable = query.error instanceof RangeError
  return (
    <Dialog opened onClose={onClose} title={t('monitor.traffic.look')} sub={file.fileName} size={960} tall>
      {unreadable ? (
        <p role="alert">{t('monitor.traffic.unreadable')}</p>
      ) : (
        <QueryView query={query} waiting={<Waiting />}>
          {(capture) => <Packets {...capture} />}
        </QueryView>
      )}
    </Dialog>
  )
}

function Packets({ facts, packets, whole }: Capture) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const [at, setAt] = useState(1)
  const pages = Math.ceil(packets.length / page)
  const limits = { packets: number(previewPackets), size: formatBytes(previewBytes) }
  return (
    <>
      {facts.length > 0 && (
        <dl className={c.facts}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{isFact(name) ? t(`monitor.traffic.facts.${name}`) : name}</dt>
              <dd className="mono">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <p className={c.note}>
        {t('monitor.traffic.packets', { count: packets.length })} {!whole && t('monitor.traffic.cut', limits)}
      </p>
      <ol className={c.packets}>
        {packets.slice((at - 1) * page, at * page).map((packet, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: packets have no other number and never move
          <PacketRow key={(at - 1) * page + i} packet={packet} />
        ))}
      </ol>
      {pages > 1 && <Pagination size="sm" total={pages} value={at} onChange={setAt} />}
    </>
  )
}
