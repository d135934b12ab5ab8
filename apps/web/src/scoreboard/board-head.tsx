import type { BoardColumn } from '@vexil/core/scoreboard'
import { memo, type ReactNode } from 'react'
import type { BoardHead as Head } from '../api/board.ts'
import { CategorySign } from '../ui/game/category-sign.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import c from './board.module.css'
import { beginsGroup, type Span, spread } from './board-row.tsx'

interface Props {
  readonly heads: readonly Head[]
  readonly columns: readonly BoardColumn[]
  readonly span: Span
  readonly inDivision: boolean
  readonly phone: boolean
  readonly tools: ReactNode
}

export function BoardHead({ heads, columns, span, inDivision, phone, tools }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  return (
    <thead>
      {!phone && (
        <tr className={c.signs}>
          <td className={c.corner} colSpan={5} rowSpan={2}>
            {tools}
          </td>
          <Categories heads={heads} />
          <td />
        </tr>
      )}
      {!phone && (
        <tr className={c.names}>
          <Titles heads={heads} span={span} />
          <td />
        </tr>
      )}
      <tr className={c.labels}>
        <th scope="col" className={`${c.stick} ${c.rank}`}>
          {inDivision ? t('board.inDivision') : t('board.rank')}
        </th>
        {!phone && <td className={`${c.stick} ${c.move}`} />}
        <th scope="col" className={`${c.stick} ${c.team}`}>
          {t('board.team')}
        </th>
        {!phone && (
          <th scope="col" className={`${c.stick} ${c.solved}`}>
            {t('board.solved')}
          </th>
        )}
        <th scope="col" className={`${c.stick} ${c.points}`}>
          {t('board.points')}
        </th>
        {!phone &&
          spread(span, columns.length, (place) => (
            <td key={heads[place]?.id} className={beginsGroup(heads, place) ? `${c.value} ${c.group}` : c.value}>
              <span>{number(columns[place]?.value ?? 0)}</span>
            </td>
          ))}
        {!phone && <td />}
      </tr>
    </thead>
  )
}

const Categories = memo(function Categories({ heads }: Pick<Props, 'heads'>) {
  return groupsOf(heads).map(({ category, count, id }) => (
    <th key={id} colSpan={count} scope="colgroup" className={c.category}>
      <CategorySign category={category} size={16} />
    </th>
  ))
})

const Titles = memo(function Titles({ heads, span }: Pick<Props, 'heads' | 'span'>) {
  return spread(span, heads.length, (place) => {
    const { id, title } = heads[place] as Head
    return (
      <th key={id} scope="col" className={beginsGroup(heads, place) ? c.group : undefined}>
        <span title={title}>{title}</span>
      </th>
    )
  })
})

function groupsOf(heads: readonly Head[]) {
  const groups: { category: Head['category']; count: number; id: number }[] = []
  for (const { category, id } of heads) {
    const group = groups.at(-1)
    if (group?.category === category) group.count++
    else groups.push({ category, count: 1, id })
  }
  return groups
}
