import { Skeleton } from '@mantine/core'
import { useLocation } from 'react-router'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './screen-skeleton.module.css'

const shapes = [
  [/^\/$/, 'home'],
  [/^\/games\/\d+\/challenges\/?$/i, 'cards'],
  [/^\/games\/\d+\/(?:scoreboard|screen)\/?$/i, 'board'],
  [/^\/games\/\d+\/?$/i, 'hero'],
  [/^\/(?:account\/(?!profile)|setup)/i, 'form'],
  [/^\/(?:about|posts\/)/i, 'text'],
] as const
type Shape = (typeof shapes)[number][1] | 'list'

/** The outline of the screen at an address. */
const shapeOf = (path: string): Shape => shapes.find(([address]) => address.test(path))?.[1] ?? 'list'

const several = (count: number, block: (index: number) => React.ReactNode) => Array.from({ length: count }, (_, at) => block(at))
const rows = (count: number, height = 20) => several(count, (at) => <Skeleton key={at} height={height} mt={14} />)

const drawings: Readonly<Record<Shape, () => React.ReactNode>> = {
  home: () => (
    <div className={c.two}>
      <Hero />
      <div className={c.beside}>{rows(6, 44)}</div>
    </div>
  ),
  hero: () => <Hero />,
  cards: () => (
    <>
      <GameHead />
      <div className={c.three}>
        <div className={c.beside}>{rows(8)}</div>
        <div className={c.cards}>
          {several(12, (at) => (
            <Skeleton key={at} height={96} />
          ))}
        </div>
        <div className={c.beside}>{rows(6, 44)}</div>
      </div>
    </>
  ),
  board: () => (
    <>
      <GameHead />
      <div className={c.list}>
        <Skeleton height={138} />
        {rows(14)}
      </div>
    </>
  ),
  form: () => <div className={c.form}>{rows(5, 40)}</div>,
  text: () => (
    <div className={c.text}>
      <Skeleton height={32} width="60%" mb={28} />
      {rows(8, 14)}
    </div>
  ),
  list: () => (
    <div className={c.list}>
      <Skeleton height={28} width={220} mb={28} />
      {rows(10)}
    </div>
  ),
}

function Hero() {
  return (
    <div className={c.hero}>
      <Skeleton className={c.hoist} />
      <div>
        <Skeleton height={32} width="60%" />
        <Skeleton height={14} width="80%" mt={16} />
        <Skeleton height={54} width={240} mt={32} />
        <Skeleton height={44} width={172} mt={56} />
      </div>
    </div>
  )
}

function GameHead() {
  return (
    <div className={c.head}>
      <Skeleton height={22} width={180} />
      <Skeleton height={22} width={120} />
    </div>
  )
}

/** Shown immediately in place of a screen while its code, the session or its game is loaded. */
export function ScreenSkeleton() {
  const { t } = useTranslation()
  const shape = shapeOf(useLocation().pathname)
  return (
    <div role="status" data-loading={shape}>
      <span className="unseen">{t('ui.loading')}</span>
      {drawings[shape]()}
    </div>
  )
}
