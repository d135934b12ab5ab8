import { ActionIcon, Popover, Select, TextInput } from '@mantine/core'
import { IconChartLine, IconHistory, IconSearch } from '@tabler/icons-react'
import { unpackBloodBonus } from '@vexil/core/scoring'
import { memo, type ReactNode, useRef } from 'react'
import { Link } from 'react-router'
import type { BoardState } from '../api/board.ts'
import { paths } from '../shell/paths.ts'
import { Pennant } from '../ui/base/pennant.tsx'
import { useSlash } from '../ui/base/use-slash.ts'
import { BloodMark } from '../ui/game/blood-mark.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { When } from '../ui/time/when.tsx'
import c from './board.module.css'

interface Props {
  /** Id of the game. */
  readonly game: number
  readonly state: Omit<BoardState, 'engine'>
  readonly division: string | null
  readonly search: string
  readonly onSearch: (text: string) => void
  readonly onDivision: (division: string | null) => void
  readonly onMine: (() => void) | null
  readonly chart: boolean | null
  readonly onChart: () => void
  readonly replaying: boolean
  readonly onReplay: (() => void) | null
  readonly onRank: (rank: number) => void
  readonly badge: ReactNode
}

/** Filters and legend in the corner of the table. Only the age of the board renders with each solve. */
export function BoardTools({ game, state, badge, ...filters }: Props) {
  const { t } = useTranslation()
  return (
    <div className={c.tools}>
      <Filters {...filters} divisions={state.divisions} />
      <div className={c.note}>
        {badge || (
          <span>
            {t('board.updated')} <When at={state.changedAt} style="relative" />
          </span>
        )}
        <span className={c.links}>
          <Link className={`link ${c.small}`} to={paths.hall(game)} target="_blank">
            {t('board.hall')}
          </Link>
          <button type="button" className={`link ${c.small}`} onClick={() => window.print()}>
            {t('board.print')}
          </button>
          <LegendMenu bloodBonus={state.bloodBonus} ownBonus={state.ownBonus} />
        </span>
      </div>
    </div>
  )
}

interface FilterProps extends Omit<Props, 'game' | 'state' | 'badge'> {
  readonly divisions: readonly string[]
}

/** A whole number followed by Enter scrolls to that rank. */
const Filters = memo(function Filters({
  divisions,
  division,
  search,
  onSearch,
  onDivision,
  onMine,
  chart,
  onChart,
  replaying,
  onReplay,
  onRank,
}: FilterProps) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  return (
    <>
      {divisions.length > 0 && (
        <Select
          className={c.select}
          aria-label={t('board.division')}
          value={division ?? ''}
          data={[{ value: '', label: t('board.all') }, ...divisions.map((name) => ({ value: name, label: name }))]}
          onChange={(value) => onDivision(value || null)}
          allowDeselect={false}
          checkIconPosition="right"
        />
      )}
      <TextInput
        ref={field}
        className={c.search}
        aria-label={t('board.find')}
        placeholder={t('board.find')}
        leftSection={<IconSearch size={18} stroke={1.6} />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const rank = /^#?(\d{1,6})$/.exec(search.trim())?.[1]
          if (event.key !== 'Enter' || !rank) return
          onSearch('')
          setTimeout(() => onRank(Number(rank)))
        }}
      />
      {onMine && (
        <button type="button" className={c.mine} aria-label={t('board.mine')} onClick={onMine}>
          <Pennant size={12} />
          <span className={c.mineName}>{t('board.mine')}</span>
        </button>
      )}
      <Tooltip label={t('board.replay')}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('board.replay')}
          aria-pressed={replaying}
          disabled={!onReplay}
          onClick={() => onReplay?.()}
        >
          <IconHistory size={18} stroke={1.6} color={replaying ? 'var(--accent-text)' : 'currentColor'} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t(chart ? 'board.hideChart' : 'board.showChart')}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('board.chart')}
          {...(chart !== null && { 'aria-pressed': chart })}
          onClick={onChart}
        >
          <IconChartLine size={18} stroke={1.6} color={chart ? 'var(--accent-text)' : 'currentColor'} />
        </ActionIcon>
      </Tooltip>
    </>
  )
})

const percent = (perMille: number) => `+${perMille / 10} %`

/** What the marks of the table mean, and how ties are ranked. */
function LegendMenu(props: Pick<BoardState, 'bloodBonus' | 'ownBonus'>) {
  const { t } = useTranslation()
  return (
    <Popover position="bottom-start" shadow="md" withArrow>
      <Popover.Target>
        <button type="button" className={`link ${c.small}`}>
          {t('board.legend')}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <Legend {...props} />
        <p className={c.tie}>{t('board.tie')}</p>
      </Popover.Dropdown>
    </Popover>
  )
}

const Legend = memo(function Legend({ bloodBonus, ownBonus }: Pick<BoardState, 'bloodBonus' | 'ownBonus'>) {
  const { t } = useTranslation()
  const { first, second, third } = unpackBloodBonus(bloodBonus)
  // Challenges may have different bonuses; one figure would be wrong.
  const own = ownBonus.size > 0
  const show = (place: 1 | 2 | 3, name: string, perMille: number) => (
    <span>
      <BloodMark place={place} label="" /> {name} {own ? '' : percent(perMille)}
    </span>
  )
  return (
    <div className={c.legend}>
      {show(1, t('board.first'), first)}
      {show(2, t('board.second'), second)}
      {show(3, t('board.third'), third)}
      {own && <span>{t('board.byChallenge')}</span>}
      <span>
        <i className={c.solve} /> {t('board.plain')}
      </span>
    </div>
  )
})
