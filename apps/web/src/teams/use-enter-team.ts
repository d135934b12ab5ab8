import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ActionOptions, useAction } from '../ui/use-action.ts'
import { useTeamsChanged } from './teams.queries.ts'

type Entering<Result> = Pick<ActionOptions<void, Result>, 'call' | 'done' | 'failed'> & { readonly onDone: () => void }

/** Creates a team or joins one. What is wrong stands at the field of the form, also when the server says it. */
export function useEnterTeam<Result>({ onDone, ...call }: Entering<Result>) {
  const { t } = useTranslation()
  const changed = useTeamsChanged()
  const [wrong, setWrong] = useState<string>()
  const action = useAction({
    ...call,
    id: 'team',
    onDone: async () => {
      await changed()
      onDone()
    },
    onFail: (refusal) => {
      setWrong(refusal.title || t('ui.unknownError'))
      return true
    },
  })
  return { action, wrong, setWrong }
}
