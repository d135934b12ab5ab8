import { ActionIcon, SegmentedControl } from '@mantine/core'
import { IconBulb, IconFlagPlus, IconPencil, IconSpeakerphone, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { deleteNotice, type GameInfo, type GameNotice } from '@vexil/contract/games'
import { type NoticeFilter, noticeFilters } from '@vexil/core/vocabulary'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { usePhase } from '../../api/use-phase.ts'
import { Empty, QueryView } from '../../ui/base/states.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { BloodMark } from '../../ui/game/blood-mark.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { ConfirmPopover } from '../../ui/overlays/confirm-popover.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { Trans, useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import { editNoticesQuery, publicNoticesQuery } from '../game-admin.queries.ts'
import c from './notices.module.css'
import { joinNotices, keepNotices } from './notices.ts'

interface Props {
  readonly game: GameInfo
  readonly onEdit: (notice: GameNotice) => void
  readonly create: ReactNode
}

export function NoticeList({ game, onEdit, create }: Props) {
  const { t } = useTranslation()
  const [filter, setFilter] = useState<NoticeFilter>('all')
  const started = usePhase(game) !== 'before'
  const own = useQuery(editNoticesQuery(game.id))
  const automatic = useQuery({ ...publicNoticesQuery(game.id), enabled: started })
  return (
    <div className={c.list}>
      <SegmentedControl
        className={c.filters}
        size="xs"
        value={filter}
        onChange={(value) => setFilter(value as NoticeFilter)}
        data={noticeFilters.map((value) => ({ value, label: t(`admin.notices.filter.${value}`) }))}
        aria-label={t('admin.notices.which')}
      />
      {/* Automatic notices are listed between those of organisers. */}
      <QueryView query={automatic.isLoading ? automatic : own}>
        {(notices) => {
          const shown = keepNotices(joinNotices(notices, automatic.data ?? []), filter)
          if (shown.length === 0) {
            const alone = filter === 'all' || filter === 'game'
            return (
              <Empty
                flag="N"
                title={t(alone ? 'admin.notices.none' : 'admin.notices.noneHere')}
                text={t(alone ? 'admin.notices.noneText' : 'admin.notices.automatic')}
                action={alone && create}
              />
            )
          }
          return (
            <ul>
              {shown.map((notice) => (
                <Entry key={notice.id} game={game} notice={notice} onEdit={onEdit} />
              ))}
            </ul>
          )
        }}
      </QueryView>
    </div>
  )
}

const places = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 } as const

function Sign({ type }: Pick<GameNotice, 'type'>) {
  const place = places[type as keyof typeof places]
  if (place) return <BloodMark place={place} size={18} />
  if (type === 'NewHint') return <IconBulb size={18} stroke={1.6} />
  return type === 'NewChallenge' ? <IconFlagPlus size={18} stroke={1.6} /> : <IconSpeakerphone size={18} stroke={1.6} />
}

/** Automatic notices are history and cannot be changed. */
function Entry({ game, notice, onEdit }: Omit<Props, 'create'> & { readonly notice: GameNotice }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const remove = useAction({
    id: `notice-${notice.id}`,
    call: async () => call(deleteNotice, { params: { id: game.id, nid: notice.id } }),
    done: t('admin.notices.deleted'),
    failed: t('admin.notDeleted'),
    onDone: () => queries.invalidateQueries({ queryKey: editNoticesQuery(game.id).queryKey }),
  })
  const [first = '', second = ''] = notice.values
  const own = notice.type === 'Normal'
  return (
    <li className={c.entry}>
      <span className={c.icon}>
        <Sign type={notice.type} />
      </span>
      <div className={c.words}>
        {own ? (
          <Markdown source={notice.values.at(-1) ?? ''} inline />
        ) : (
          <Trans
            i18nKey={`admin.notices.sentences.${notice.type as Exclude<GameNotice['type'], 'Normal'>}`}
            components={{ team: <b>{first}</b>, challenge: <b>{notice.type.endsWith('Blood') ? second : first}</b> }}
          />
        )}
      </div>
      <When at={notice.time} className={c.time} />
      <span className={c.tools}>
        {own && (
          <>
            <Tooltip label={t('ui.edit')}>
              <ActionIcon size="sm" aria-label={t('ui.edit')} disabled={remove.busy} onClick={() => onEdit(notice)}>
                <IconPencil size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
            <ConfirmPopover
              title={t('admin.notices.deleteTitle')}
              text={t('admin.notices.deleteText')}
              confirm={t('ui.delete')}
              harmful
              onConfirm={() => void remove.start()}
            >
              {(open) => (
                <ActionIcon size="sm" aria-label={t('ui.delete')} disabled={remove.busy} onClick={open}>
                  <IconTrash size={18} stroke={1.6} />
                </ActionIcon>
              )}
            </ConfirmPopover>
          </>
        )}
      </span>
    </li>
  )
}
