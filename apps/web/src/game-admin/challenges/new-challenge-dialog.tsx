import { Radio, TextInput } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { createChallenge } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { challengeLimits } from '@vexil/core/limits'
import { type ChallengeCategory, type ChallengeType, challengeCategories, challengeTypes } from '@vexil/core/vocabulary'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../../api/client.ts'
import { paths } from '../../shell/paths.ts'
import { useConfirmClose } from '../../shell/unsaved.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { useIsHere } from '../../ui/base/use-is-here.ts'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useChallengesChanged } from '../game-admin.queries.ts'
import c from '../notices/notices.module.css'
import k from './kind-selects.module.css'
import { CategorySelect } from './kind-selects.tsx'

/** Storage may hold anything. */
const oneOf = <T extends string>(known: readonly T[], last: object, name: string): T | null =>
  known.find((one) => one === Object.entries(last).find(([key]) => key === name)?.[1]) ?? null

/** Asks for the type, which cannot be changed later; category and type default to the last ones. */
export default function NewChallengeDialog({ game, onClose }: { readonly game: GameInfo; readonly onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const changed = useChallengesChanged(game.id)
  const [title, setTitle] = useState('')
  const [last, setLast] = useLocalStorage({ key: 'new-challenge', defaultValue: {}, getInitialValueInEffect: false })
  const [category, setCategory] = useState(oneOf(challengeCategories, last, 'category'))
  const [type, setType] = useState(oneOf(challengeTypes, last, 'type'))
  const [tried, setTried] = useState(false)
  const create = useAction({
    id: 'new-challenge',
    call: async (kind: { category: ChallengeCategory; type: ChallengeType }) =>
      call(createChallenge, { params: { id: game.id }, body: { title: title.trim(), ...kind } }),
    done: (made) => t('admin.challenges.created', { title: made.title }),
    failed: t('admin.challenges.notCreated'),
    onDone: async (made) => {
      setLast({ category: made.category, type: made.type })
      void changed()
      if (!isHere()) return
      onClose()
      // Asks before unsaved changes of the editor below are lost.
      await navigate(paths.admin.challenge(game.id, made.id))
    },
  })
  // The answer opens the new challenge.
  const leave = () => void (create.busy || onClose())
  const close = useConfirmClose(title.trim() !== '' && !create.busy, leave)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (title.trim() !== '' && category && type) void create.start({ category, type })
  }
  return (
    <Dialog opened onClose={close} title={t('admin.challenges.create')} size={480}>
      <form className={c.form} onSubmit={submit} noValidate>
        <TextInput
          data-autofocus
          label={t('admin.challenge.title')}
          maxLength={challengeLimits.titleMax}
          value={title}
          error={tried && title.trim() === '' && t('admin.challenge.titleMissing')}
          disabled={create.busy}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <CategorySelect
          label={t('admin.challenges.category')}
          placeholder={t('admin.choose')}
          value={category}
          error={tried && category === null && t('admin.challenges.categoryMissing')}
          disabled={create.busy}
          onChange={setCategory}
        />
        <Radio.Group
          label={t('admin.challenges.type')}
          description={t('admin.challenges.typeStays')}
          value={type}
          error={tried && type === null && t('admin.challenges.typeMissing')}
          onChange={(one) => setType(one as ChallengeType)}
        >
          <div className={k.types}>
            {challengeTypes.map((one) => (
              <Radio
                key={one}
                value={one}
                label={t(`admin.types.${one}`)}
                description={t(`admin.typeAbout.${one}`)}
                disabled={create.busy}
              />
            ))}
          </div>
        </Radio.Group>
        <FormFoot action={create} onCancel={leave}>
          {t('admin.games.createButton')}
        </FormFoot>
      </form>
    </Dialog>
  )
}
