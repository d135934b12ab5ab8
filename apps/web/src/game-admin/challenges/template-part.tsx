import { TextInput } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ChallengeEditDetail, updateChallenge } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { cleanTemplate } from '@vexil/core/flags'
import { flagLimits } from '@vexil/core/limits'
import { useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { useUnsavedWarning } from '../../shell/unsaved.tsx'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { useKeys } from '../../ui/base/keyboard.ts'
import { useAction } from '../../ui/base/use-action.ts'
import { FormSection } from '../../ui/fields/form-section.tsx'
import mono from '../../ui/fields/mono-input.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengeQuery } from '../game-admin.queries.ts'
import c from './flags.module.css'
import { bitsOf, samplesOf, templateProblem } from './template.ts'

const marks = ['[GUID]', '[TEAM_HASH]', '[LEET]', '[CLEET]'] as const

/** A team's flag is generated from the template when the team first opens the challenge, and does not change. */
export function TemplatePart({ game, challenge }: { readonly game: GameInfo; readonly challenge: ChallengeEditDetail }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const saved = challenge.flagTemplate ?? ''
  const [typed, setTyped] = useState<string>()
  const [turn, setTurn] = useState(0)
  const template = typed ?? saved
  const cleaned = cleanTemplate(template) ?? ''
  const problem = templateProblem(cleaned)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn draws other samples
  const samples = useMemo(() => (problem === 'long' ? [] : samplesOf(cleaned)), [cleaned, problem, turn])
  const changed = template !== saved
  const save = useAction({
    id: 'template',
    call: async () => call(updateChallenge, { params: { id: game.id, cid: challenge.id }, body: { flagTemplate: template } }),
    done: t('admin.flags.templateSaved'),
    failed: t('admin.notSaved'),
    onDone: (now) => {
      queries.setQueryData(challengeQuery(game.id, challenge.id).queryKey, now)
      setTyped(undefined)
    },
  })
  useUnsavedWarning(changed && !save.busy)
  const submit = () => {
    if (changed && problem === undefined) void save.start()
  }
  useKeys([{ key: 'mod+s', name: t('ui.save'), act: submit }], true)
  const { bits, min } = bitsOf(cleaned)
  return (
    <FormSection title={t('admin.flags.template')} help={t('admin.flags.templateHelp')}>
      <form
        className={c.stack}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextInput
          className={c.full}
          classNames={mono}
          label={t('admin.flags.template')}
          description={t('admin.flags.templateBlank')}
          placeholder="flag{…}"
          maxLength={flagLimits.templateMax}
          spellCheck={false}
          autoComplete="off"
          value={template}
          error={problem && t(`admin.flags.problem.${problem}`, { bits, min, max: flagLimits.flagMax })}
          disabled={save.busy}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <section className={`${c.samples} mono`} aria-label={t('admin.flags.samples')}>
          {samples.map((flag, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: without anything random all three are alike
            <span key={at}>{flag}</span>
          ))}
        </section>
        <button
          type="button"
          className="link small"
          style={{ display: 'inline-flex', gap: 8, alignItems: 'center' }}
          onClick={() => setTurn(turn + 1)}
        >
          <IconRefresh size={16} stroke={1.6} />
          {t('admin.flags.otherSamples')}
        </button>
        <dl className={c.meaning}>
          {marks.map((mark) => (
            <div key={mark} style={{ display: 'contents' }}>
              <dt className="mono">{mark}</dt>
              <dd>{t(`admin.flags.mark.${mark.slice(1, -1) as 'GUID' | 'TEAM_HASH' | 'LEET' | 'CLEET'}`)}</dd>
            </div>
          ))}
        </dl>
        <ActionButton action={save} type="submit" disabled={!changed || problem !== undefined}>
          {t('admin.flags.saveTemplate')}
        </ActionButton>
      </form>
    </FormSection>
  )
}
