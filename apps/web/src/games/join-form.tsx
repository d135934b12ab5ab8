import { Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type DetailedGame, joinGame } from '@vexil/contract/games'
import type { TeamInfo } from '@vexil/contract/teams'
import { gameLimits } from '@vexil/core/limits'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { call, type Refusal } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { paths } from '../shell/paths.ts'
import { useAction, useErrorText } from '../ui/base/use-action.ts'
import { FormFoot } from '../ui/fields/form-foot.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './game-page.module.css'
import { useParticipationChanged } from './games.queries.ts'
import { type JoinForm as Fields, missingToJoin } from './join-check.ts'

interface Props {
  readonly game: DetailedGame
  readonly teams: readonly TeamInfo[]
  readonly onClose: () => void
  readonly preset?: Partial<Fields>
}

type Errors = Partial<Record<keyof Fields | 'form', string>>

function fieldOf({ code }: Refusal): keyof Fields | 'form' {
  if (code === 'game.invite_code_wrong') return 'code'
  if (code === 'participation.member_limit') return 'team'
  return code === 'game.division_unknown' || code === 'participation.division_fixed' ? 'division' : 'form'
}

export default function JoinForm({ game, teams, onClose, preset }: Props) {
  const { t } = useTranslation()
  const only = teams.length === 1 ? String(teams[0]?.id) : null
  const [form, setForm] = useState<Fields>({ team: only, code: '', division: null, ...preset })
  const [errors, setErrors] = useState<Errors>({})
  const divisions = game.organizations ?? []

  const element = useRef<HTMLFormElement>(null)
  // The button that had the focus no longer exists.
  useEffect(() => element.current?.querySelector<HTMLElement>('[data-autofocus], button[type=submit]')?.focus(), [])

  const action = useJoin(game, form, setErrors, onClose)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const missing = missingToJoin(game, form)
    setErrors(Object.fromEntries(missing.map((field) => [field, t(`games.missing.${field}`)])))
    if (missing.length === 0) void action.start()
  }
  const change = (field: keyof Fields, value: string | null) => {
    setForm({ ...form, [field]: value })
    setErrors({ ...errors, [field]: undefined, form: undefined })
  }
  return (
    <form ref={element} className={c.form} onSubmit={submit} noValidate>
      <TeamField
        game={game}
        teams={teams}
        form={form}
        error={errors.team}
        disabled={action.busy}
        onChange={(team) => change('team', team)}
      />
      {game.inviteCodeRequired && (
        <TextInput
          label={t('games.code')}
          data-autofocus={only !== null || undefined}
          autoComplete="off"
          maxLength={gameLimits.inviteCodeMax}
          value={form.code}
          error={errors.code}
          disabled={action.busy}
          onChange={(event) => change('code', event.currentTarget.value)}
        />
      )}
      {divisions.length > 0 && (
        <DivisionField
          divisions={divisions}
          value={form.division}
          error={errors.division}
          disabled={action.busy}
          onChange={(division) => change('division', division)}
        />
      )}
      {errors.form && (
        <p className="poor" role="alert">
          {errors.form}
        </p>
      )}
      <FormFoot action={action} onCancel={onClose} style={{ marginTop: 4 }}>
        {t('games.join')}
      </FormFoot>
    </form>
  )
}

interface TeamProps extends Pick<Props, 'game' | 'teams'> {
  readonly form: Fields
  readonly error: string | undefined
  readonly disabled: boolean
  readonly onChange: (team: string | null) => void
}

function TeamField({ game, teams, form, error, disabled, onChange }: TeamProps) {
  const { t } = useTranslation()
  const chosen = teams.find(({ id }) => String(id) === form.team)
  const registered = chosen ? (game.registered[String(chosen.id)] ?? 0) : 0
  const full = game.limit > 0 && registered >= game.limit
  return (
    <>
      <Select
        label={t('games.joinTeam')}
        placeholder={t('games.chooseTeam')}
        data-autofocus={teams.length !== 1 || undefined}
        data={teams.map((team) => ({
          value: String(team.id),
          label: t('games.teamOption', { name: team.name ?? '', count: team.members?.length ?? 0 }),
        }))}
        value={form.team}
        onChange={onChange}
        description={
          full ? undefined : game.limit > 0 && chosen ? t('games.registered', { registered, limit: game.limit }) : undefined
        }
        error={error ?? (full ? t('games.teamFull', { limit: game.limit }) : undefined)}
        allowDeselect={false}
        disabled={disabled}
      />
      <Link className="link small" to={paths.teamsFor(game.id, form)}>
        {t('games.otherTeam')}
      </Link>
    </>
  )
}

interface DivisionProps {
  readonly divisions: readonly string[]
  readonly value: string | null
  readonly error: string | undefined
  readonly disabled: boolean
  readonly onChange: (division: string | null) => void
}

function DivisionField({ divisions, value, error, disabled, onChange }: DivisionProps) {
  const { t } = useTranslation()
  return (
    <Select
      label={t('games.division')}
      placeholder={t('games.chooseDivision')}
      data={[...divisions]}
      value={value}
      onChange={onChange}
      error={error}
      allowDeselect={false}
      disabled={disabled}
    />
  )
}

function useJoin(game: DetailedGame, form: Fields, setErrors: (errors: Errors) => void, onClose: () => void) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const changed = useParticipationChanged(game.id)
  return useAction({
    id: 'join',
    failed: t('games.joinFailed'),
    call: async () =>
      call(joinGame, {
        params: { id: game.id },
        body: {
          teamId: Number(form.team),
          organization: (game.organizations ?? []).length > 0 ? form.division : null,
          inviteCode: game.inviteCodeRequired ? form.code.trim() : null,
        },
      }),
    onDone: async () => {
      await changed()
      const { status } = queries.getQueryData<DetailedGame>(keys.game(game.id).detail) ?? game
      toast({ id: 'join', kind: 'good', title: t(status === 'Accepted' ? 'games.joinDone' : 'games.requestSent') })
      onClose()
    },
    // The dialog keeps its input and shows the message at the field.
    onFail: (refusal) => {
      const field = fieldOf(refusal)
      setErrors({ [field]: errorText(refusal) })
      return true
    },
  })
}
