import type { ScoreCurve } from '@vexil/core/scoring'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useFormats } from '../../ui/time/time.ts'
import c from './score-curve.module.css'
import { drawCurve, plot } from './score-curve.ts'

interface Props {
  readonly curve: ScoreCurve | undefined
  readonly solves: number
}

export function ScoreCurveChart({ curve, solves }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const drawing = curve && drawCurve(curve, solves)
  const top = curve?.originalScore ?? 0
  const label = drawing
    ? t('admin.challenge.pin', { count: solves, solves: number(solves), points: number(drawing.pin.score) })
    : ''
  // The flag points to the left if there is not enough space at the right. Chinese and Japanese characters are wider.
  const width = [...label].reduce((sum, sign) => sum + (sign > '\u2e7f' ? 13.5 : 7.4), 24)
  const left = drawing !== undefined && drawing.pin.x + width > plot.right + 8
  const flagTop = drawing ? Math.max(4, drawing.pin.y - 44) : 0
  const flagX = drawing ? (left ? drawing.pin.x - width : drawing.pin.x) : 0
  const floorScore = curve ? Math.floor(curve.originalScore * curve.minScoreRate) : 0
  return (
    <svg className={c.chart} viewBox="0 0 392 220" role="img" aria-label={drawing ? label : t('admin.challenge.noCurve')}>
      {[0, 0.5, 1].map((share) => {
        const y = plot.bottom - share * (plot.bottom - plot.top)
        return (
          <g key={share}>
            <line className={c.grid} x1={plot.left} x2={plot.right} y1={y} y2={y} />
            <text x={plot.left - 8} y={y + 4} textAnchor="end">
              {number(Math.round(top * share))}
            </text>
          </g>
        )
      })}
      {drawing && (
        <>
          {drawing.labels.map(({ count, x }) => (
            <text key={count} x={x} y={plot.bottom + 18} textAnchor="middle">
              {number(count)}
            </text>
          ))}
          <line className={c.floor} x1={plot.left} x2={plot.right} y1={drawing.floor} y2={drawing.floor} />
          <path className={c.line} d={drawing.path} />
          <line className={c.pole} x1={drawing.pin.x} x2={drawing.pin.x} y1={flagTop} y2={plot.bottom} />
          {/* Above the pole, with an outline, since the pole can cross it. */}
          <text
            className={c.minimum}
            x={plot.right}
            y={drawing.floor > plot.bottom - 16 ? drawing.floor - 8 : drawing.floor + 16}
            textAnchor="end"
          >
            {t('admin.challenge.floor', { points: number(floorScore) })}
          </text>
          <circle className={c.dot} cx={drawing.pin.x} cy={drawing.pin.y} r={4} />
          <path
            className={c.flag}
            d={
              left
                ? `M${drawing.pin.x} ${flagTop}h${-width}l8 12l-8 12h${width}z`
                : `M${drawing.pin.x} ${flagTop}h${width}l-8 12l8 12h${-width}z`
            }
          />
          <text className={c.words} x={flagX + (left ? 16 : 8)} y={flagTop + 16}>
            {label}
          </text>
        </>
      )}
    </svg>
  )
}
