import { Button, Progress, Switch, Textarea } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { accountLimits } from '@vexil/core/limits'
import { type FormEvent, useMemo, useState } from 'react'
import { FileButton } from '../../ui/fields/file-button.tsx'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import mono from '../../ui/fields/mono-input.module.css'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import type { Adding } from './use-add-users.ts'
import { UserRowTable } from './user-row-table.tsx'
import { faultsOf, readUsers, type UserRow, userColumns, withPasswords } from './user-rows.ts'
import u from './users.module.css'

export interface TypedList {
  readonly text: string
  /** Its rows as they were sent, with the generated passwords; undefined after a change. */
  readonly sent?: readonly UserRow[]
}

interface Props {
  readonly list: TypedList
  readonly onList: (list: TypedList) => void
  readonly adding: Adding
  readonly onAdd: (rows: readonly UserRow[]) => void
  readonly onClose: () => void
}

/** Longer files exceed the number of accounts per import. */
const longest = 1_000_000

export function AddUserList({ list: { text, sent }, onList, adding, onAdd, onClose }: Props) {
  const { t } = useTranslation()
  const { action, added, refused, forget } = adding
  const [generate, setGenerate] = useState(true)
  const { rows, unknown } = useMemo(() => readUsers(text), [text])
  const faults = useMemo(() => faultsOf(rows, generate), [rows, generate])
  const wrong = faults.filter((some) => some.length > 0).length
  const ready = rows.length > 0 && wrong === 0 && rows.length <= accountLimits.batchMax
  const readList = (next: string) => {
    onList({ text: next.slice(0, longest) })
    forget()
  }
  const read = async (file: File) => {
    try {
      // Excel saves CSV files in the encoding of the system by default, in which names would be garbled.
      readList(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()))
    } catch (error) {
      const reason = error instanceof TypeError ? t('admin.users.saveUtf8') : undefined
      toast({ id: 'user-list', kind: 'bad', title: t('ui.fileNotLoaded'), text: reason })
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!ready) return
    const wanted = sent ?? withPasswords(rows)
    onList({ text, sent: wanted })
    // After a refusal the rows that were added before it are left out.
    onAdd(wanted.filter((row) => !added.includes(row)))
  }
  return (
    <form className={u.add} onSubmit={submit} noValidate>
      <Textarea
        data-autofocus
        label={t('admin.users.list')}
        description={t('admin.users.listHelp', { columns: userColumns.join(', ') })}
        classNames={{ input: `${mono.input} ${u.paste}` }}
        placeholder="ada,,ada@example.org,Ada L.,S-1,,Halyard"
        minRows={4}
        maxRows={8}
        autosize
        spellCheck={false}
        readOnly={action.busy}
        value={text}
        onChange={(event) => readList(event.currentTarget.value)}
      />
      <div className={u.line}>
        <Switch
          label={t('admin.users.generateMissing')}
          checked={generate}
          disabled={action.busy}
          onChange={(event) => {
            setGenerate(event.currentTarget.checked)
            onList({ text })
          }}
        />
        <FileButton accept=".csv,.tsv,.txt,text/csv" onFile={(file) => void read(file)}>
          {(props) => (
            <Button {...props} variant="default" disabled={action.busy} leftSection={<IconFileTypeCsv size={18} stroke={1.6} />}>
              {t('admin.users.file')}
            </Button>
          )}
        </FileButton>
      </div>
      {unknown.length > 0 && <p className="small wary">{t('admin.users.unknown', { columns: unknown.join(', ') })}</p>}
      {rows.length > 0 && (
        <UserRowTable rows={sent ?? rows} faults={faults} added={added} refused={refused} generate={generate} />
      )}
      <div className={u.end}>
        <RowCount rows={rows.length} wrong={wrong} />
        {refused && (
          <p className={u.fault} role="alert">
            {refused.row ? t('admin.users.heldUp', { done: added.length, reason: refused.reason }) : refused.reason}
          </p>
        )}
        {action.busy && (
          <Progress.Root size="lg">
            <Progress.Section
              value={(100 * added.length) / rows.length}
              aria-label={t('admin.users.progress', { done: added.length, total: rows.length })}
            />
          </Progress.Root>
        )}
        <FormFoot action={action} onCancel={onClose} disabled={!ready}>
          {t('admin.users.addMany', { count: rows.length - (sent ? added.length : 0) })}
        </FormFoot>
      </div>
    </form>
  )
}

function RowCount({ rows, wrong }: { readonly rows: number; readonly wrong: number }) {
  const { t } = useTranslation()
  const max = accountLimits.batchMax
  const tooMany = rows > max
  return (
    <p className={wrong > 0 || tooMany ? u.fault : 'dim'} role="status">
      {tooMany
        ? t('admin.users.tooManyRows', { max, count: rows })
        : wrong > 0
          ? t('admin.users.wrongRows', { count: wrong })
          : rows > 0 && t('admin.users.rows', { count: rows })}
    </p>
  )
}
