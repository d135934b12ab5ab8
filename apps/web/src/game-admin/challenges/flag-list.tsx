import { ActionIcon, TextInput } from '@mantine/core'
import { IconSearch, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ChallengeEditDetail, deleteFlag } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { hasAttachmentPerFlag } from '@vexil/core/vocabulary'
import { useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { useCopy } from '../../ui/base/copy.tsx'
import { Empty } from '../../ui/base/states.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormSection } from '../../ui/fields/form-section.tsx'
import { ConfirmPopover } from '../../ui/overlays/confirm-popover.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengeQuery, participationsQuery, useChallengesChanged } from '../game-admin.queries.ts'
import { filesNeeded } from './flag-input.ts'
import c from './flags.module.css'

interface Props {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
}

/** Renders only visible rows: a challenge may have a thousand flags. */
export function FlagList({ game, challenge }: Props) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const frame = useRef<HTMLDivElement>(null)
  const wanted = text.trim().toLowerCase()
  const shown = challenge.flags.filter(({ flag }) => flag.toLowerCase().includes(wanted))
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 40,
    overscan: 8,
    getItemKey: (at) => shown[at]?.id ?? at,
  })
  const dynamic = hasAttachmentPerFlag(challenge.type)
  return (
    <FormSection title={t('admin.flags.list')} help={dynamic ? undefined : t('admin.flags.listHelp')}>
      <div className={c.stack}>
        {dynamic ? (
          <CountLine game={game} challenge={challenge} />
        ) : (
          <p className={c.part}>{t('admin.flags.count', { count: challenge.flags.length })}</p>
        )}
        {challenge.flags.length === 0 && (
          <div className={c.full}>
            <Empty
              flag="F"
              title={t('admin.flags.none')}
              text={t(dynamic ? 'admin.flags.noneDynamic' : 'admin.flags.noneText')}
            />
          </div>
        )}
        {challenge.flags.length > 8 && (
          <TextInput
            className={c.full}
            leftSection={<IconSearch size={18} stroke={1.6} />}
            placeholder={t('admin.flags.find')}
            aria-label={t('admin.flags.find')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {challenge.flags.length > 0 && shown.length === 0 && <p className={c.part}>{t('admin.nothingFound')}</p>}
        {shown.length > 0 && (
          <div ref={frame} className={c.list}>
            <ul className={c.rows} style={{ height: rows.getTotalSize() }}>
              {rows.getVirtualItems().map(({ index, key, start }) => {
                const row = shown[index]
                return row && <Row key={key} game={game} challenge={challenge} row={row} at={start} />
              })}
            </ul>
          </div>
        )}
      </div>
    </FormSection>
  )
}

function CountLine({ game, challenge }: Props) {
  const { t } = useTranslation()
  const teams = useQuery(participationsQuery(game.id)).data?.filter(({ status }) => status === 'Accepted').length
  const files = challenge.flags.filter(({ attachment }) => attachment !== null).length
  if (teams === undefined) return null
  const few = files < filesNeeded(teams)
  return (
    <p className={few ? 'small wary' : c.part}>
      {t('admin.flags.filesForTeams', { files, teams })} {few && t('admin.flags.fewFiles', { wanted: filesNeeded(teams) })}
    </p>
  )
}

const shortHash = (url: string) => /^\/assets\/([0-9a-f]{8})/.exec(url)?.[1]

function Row({ game, challenge, row, at }: Props & { readonly row: ChallengeEditDetail['flags'][number]; readonly at: number }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const refresh = useChallengesChanged(game.id)
  const { copied, copy } = useCopy()
  const remove = useAction({
    id: 'delete-flag',
    call: async () => call(deleteFlag, { params: { id: game.id, cid: challenge.id, fid: row.id } }),
    done: t('admin.flags.deleted'),
    failed: t('admin.notDeleted'),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: challengeQuery(game.id, challenge.id).queryKey })
      void refresh()
    },
  })
  const file = row.attachment
  const last = challenge.flags.length === 1 && challenge.isEnabled
  return (
    <li className={c.row} style={{ transform: `translateY(${at}px)` }}>
      <button type="button" className={`${c.flag} mono`} title={t('ui.copy')} onClick={() => void copy(row.flag)}>
        {row.flag}
      </button>
      <span className={c.part}>
        {copied
          ? t('ui.copied')
          : file && [t(`admin.flags.kind.${file.type}`), file.url && shortHash(file.url)].filter(Boolean).join(' ')}
      </span>
      <ConfirmPopover
        title={t('admin.flags.deleteTitle')}
        text={t(
          last
            ? 'admin.flags.deleteLast'
            : hasAttachmentPerFlag(challenge.type)
              ? 'admin.flags.deleteHeld'
              : 'admin.flags.deleteText',
        )}
        confirm={t('ui.delete')}
        harmful
        onConfirm={() => void remove.start()}
      >
        {(open) => (
          <ActionIcon size="sm" aria-label={t('admin.flags.deleteOne', { flag: row.flag })} disabled={remove.busy} onClick={open}>
            <IconTrash size={18} stroke={1.6} />
          </ActionIcon>
        )}
      </ConfirmPopover>
    </li>
  )
}
