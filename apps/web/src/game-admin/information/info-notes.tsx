import { IconClock, IconEyeOff, IconPlayerPlay, IconUsersGroup } from '@tabler/icons-react'
import type { SaveNote } from '../../ui/fields/save-bar.tsx'
import { Trans, useTranslation } from '../../ui/text/organiser-texts.ts'
import { formatSpan } from '../../ui/time/time.ts'
import type { InfoEffect, WrongInfo } from './info-fields.ts'

const icon = { size: 18, stroke: 1.6 }

/** Errors and effects for the save bar. Names are text nodes, never markup. */
export function useInfoNotes(wrong: readonly WrongInfo[], effects: readonly InfoEffect[], total: number): SaveNote[] {
  const { t, language } = useTranslation()
  const noteOf = (effect: InfoEffect): SaveNote => {
    switch (effect.kind) {
      case 'start':
      case 'end': {
        const way = effect.hours < 0 ? 'earlier' : 'later'
        const span = formatSpan(Math.abs(effect.hours), language)
        const name = effect.kind === 'start' ? 'moveStart' : 'moveEnd'
        return {
          key: effect.kind,
          icon: <IconClock {...icon} />,
          text: (
            <>
              <Trans i18nKey={`admin.info.${name}.${way}`} values={{ span }} components={{ b: <b /> }} />
              {effect.teams > 0 && ` ${t('admin.info.seen', { count: effect.teams })}`}
            </>
          ),
        }
      }
      case 'opens':
      case 'closes':
      case 'reopens':
        return { key: 'phase', icon: <IconPlayerPlay {...icon} />, text: t(`admin.info.${effect.kind}`) }
      case 'division':
        return {
          key: `division-${effect.name}`,
          icon: <IconUsersGroup {...icon} />,
          text: <Trans i18nKey="admin.info.divisionGoes" count={effect.teams} components={{ name: <b>{effect.name}</b> }} />,
        }
      default:
        return {
          key: 'hidden',
          icon: <IconEyeOff {...icon} />,
          text: t('admin.info.hides', { count: total }),
        }
    }
  }
  const errors = wrong.map((name) => ({
    key: `wrong-${name}`,
    wrong: true,
    text: <Trans i18nKey={`admin.info.wrong.${name}`} components={{ b: <b /> }} />,
  }))
  return [...errors, ...effects.map(noteOf)]
}
