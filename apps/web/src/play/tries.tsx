import { IconCheck, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ChallengePart } from '../ui/game/challenge-frame.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { When } from '../ui/time/when.tsx'
import c from './challenge-dialog.module.css'
import { triesQuery } from './play.queries.ts'

interface Props {
  readonly game: number
  readonly challenge: number
  /** Copies an answer to the field; absent once the challenge is solved. */
  readonly onReuse?: ((answer: string) => void) | undefined
}

const few = 4

/** The own team's answers to a challenge, so that none is sent twice; renders nothing without any. */
export function Tries({ game, challenge, onReuse }: Props) {
  const { t } = useTranslation()
  const [all, setAll] = useState(false)
  const { data = [] } = useQuery(triesQuery(game, challenge))
  if (data.length === 0) return null
  return (
    <ChallengePart name={t('play.tries')} count={String(data.length)}>
      <ol className={c.solvers}>
        {(all ? data : data.slice(0, few)).map(({ answer, status, time, user }) => (
          <li key={answer} className={c.solver}>
            {status === 'Accepted' ? (
              <IconCheck size={16} stroke={1.9} className={c.ok} aria-label={t('play.right')} />
            ) : (
              <IconX size={16} stroke={1.9} className={c.bad} aria-label={t('play.wrong')} />
            )}
            <span className={c.tryWords}>
              {onReuse && status !== 'Accepted' ? (
                <button type="button" className={`mono ${c.tryAnswer}`} title={answer} onClick={() => onReuse(answer)}>
                  {answer}
                </button>
              ) : (
                <code className={`mono ${c.tryAnswer}`} title={answer}>
                  {answer}
                </code>
              )}
              {user && <span className={c.solverTime}>{user}</span>}
            </span>
            <When at={time} style="clock" className={c.solverTime} />
          </li>
        ))}
      </ol>
      {!all && data.length > few && (
        <button type="button" className={`link ${c.all}`} onClick={() => setAll(true)}>
          {t('play.allTries')}
        </button>
      )}
    </ChallengePart>
  )
}
