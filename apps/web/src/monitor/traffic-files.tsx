import { ActionIcon, SegmentedControl } from '@mantine/core'
import { IconDownload, IconEye, IconFileZip, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { captureFormats, downloadCapture, downloadCaptures } from '@vexil/contract/captures'
import { useState } from 'react'
import { addressOf } from '../api/client.ts'
import { formatBytes } from '../ui/base/bytes.ts'
import { QueryView } from '../ui/base/states.tsx'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { ConfirmPopover } from '../ui/overlays/confirm-popover.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { When } from '../ui/time/when.tsx'
import { CaptureDialog } from './capture-dialog.tsx'
import c from './traffic.module.css'
import { type CaptureFile, captureFilesQuery, useDeleteCaptures } from './traffic.queries.ts'
import { Column, Hint } from './traffic-choices.tsx'

interface Props {
  readonly game: number
  readonly challenge: number | undefined
  /** Participation id. */
  readonly team: number | undefined
}

export function CaptureFiles({ game, challenge, team }: Props) {
  const { t } = useTranslation()
  if (challenge === undefined || team === undefined)
    return (
      <Column title={t('monitor.traffic.files')}>
        <Hint>{t('monitor.traffic.chooseTeam')}</Hint>
      </Column>
    )
  return <Files game={game} cid={challenge} pid={team} />
}

interface FilesProps {
  readonly game: number
  readonly cid: number
  readonly pid: number
}

function Files({ game, cid, pid }: FilesProps) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const [format, setFormat] = useState<(typeof captureFormats)[number]>('tcp')
  const [looked, setLooked] = useState<CaptureFile>()
  const files = useQuery(captureFilesQuery(game, cid, pid))
  const remove = useDeleteCaptures(game, cid, pid)
  const count = files.data?.length ?? 0
  const size = formatBytes((files.data ?? []).reduce((sum, file) => sum + file.size, 0))
  const removeAll = async () => {
    const question = {
      title: t('monitor.traffic.deleteAllTitle', { count }),
      text: t('monitor.traffic.deleteText'),
      confirm: t('ui.delete'),
      harmful: true,
    }
    if (await confirm(question)) await remove.start(null)
  }
  const tools = (
    <>
      <Tooltip label={t('monitor.traffic.formatHelp')}>
        <SegmentedControl
          size="xs"
          aria-label={t('monitor.traffic.format')}
          value={format}
          onChange={setFormat}
          data={captureFormats.toReversed().map((value) => ({ value, label: value.toUpperCase() }))}
        />
      </Tooltip>
      <Tooltip label={t('monitor.traffic.downloadAll')}>
        <ActionIcon
          component="a"
          href={count > 0 ? addressOf(downloadCaptures, { params: { cid, pid }, query: { format } }) : undefined}
          target="_blank"
          rel="noopener"
          aria-label={t('monitor.traffic.downloadAll')}
          aria-disabled={count === 0}
        >
          <IconFileZip size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('monitor.traffic.deleteAll')}>
        <ActionIcon
          aria-label={t('monitor.traffic.deleteAll')}
          disabled={count === 0 || remove.busy || remove.wait > 0}
          onClick={() => void removeAll()}
        >
          <IconTrash size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </>
  )
  return (
    <Column title={t('monitor.traffic.files')} sub={count > 0 && `${count} · ${size}`} tools={tools}>
      <QueryView query={files}>
        {(list) =>
          list.length === 0 ? (
            <Hint>{t('monitor.traffic.noFiles')}</Hint>
          ) : (
            <ul className={c.list}>
              {list.map((file) => (
                <File
                  key={file.fileName}
                  file={file}
                  href={addressOf(downloadCapture, { params: { cid, pid, file: file.fileName }, query: { format } })}
                  busy={remove.busy || remove.wait > 0}
                  onPreview={() => setLooked(file)}
                  onDelete={() => void remove.start(file.fileName)}
                />
              ))}
            </ul>
          )
        }
      </QueryView>
      {looked && <CaptureDialog game={game} cid={cid} pid={pid} file={looked} onClose={() => setLooked(undefined)} />}
    </Column>
  )
}

interface FileProps {
  readonly file: CaptureFile
  readonly href: string
  readonly busy: boolean
  readonly onPreview: () => void
  readonly onDelete: () => void
}

function File({ file: { fileName: name, size, updateTime }, href, busy, onPreview, onDelete }: FileProps) {
  const { t } = useTranslation()
  return (
    <li className={c.file}>
      <span className={c.words}>
        <a className={`${c.fileName} mono cut`} href={href} target="_blank" rel="noopener" title={name}>
          {name}
        </a>
        <span className="small faint num">
          {formatBytes(size)} · <When at={updateTime} style="exact" />
        </span>
      </span>
      <Tooltip label={t('monitor.traffic.look')}>
        <ActionIcon aria-label={t('monitor.traffic.lookAt', { name })} onClick={onPreview}>
          <IconEye size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('monitor.traffic.download')}>
        <ActionIcon
          component="a"
          href={href}
          target="_blank"
          rel="noopener"
          aria-label={t('monitor.traffic.downloadOne', { name })}
        >
          <IconDownload size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <ConfirmPopover
        title={t('monitor.traffic.deleteTitle')}
        text={t('monitor.traffic.deleteText')}
        confirm={t('ui.delete')}
        harmful
        onConfirm={onDelete}
      >
        {(open) => (
          <ActionIcon aria-label={t('monitor.traffic.deleteOne', { name })} disabled={busy} onClick={open}>
            <IconTrash size={18} stroke={1.6} />
          </ActionIcon>
        )}
      </ConfirmPopover>
    </li>
  )
}
