import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useConfirmClose } from '../../shell/unsaved.tsx'
import { changedKeys } from '../../ui/fields/use-draft.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { AddOneUser } from './add-one-user.tsx'
import { AddUserList, type TypedList } from './add-user-list.tsx'
import { AddedUsers } from './added-users.tsx'
import { useAddUsers } from './use-add-users.ts'
import { useCloseSaved } from './use-close-saved.ts'
import { emptyRow, type UserRow } from './user-rows.ts'
import u from './users.module.css'

export default function AddUsersDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation()
  const [way, setWay] = useState<'one' | 'list'>('one')
  const [row, setRow] = useState(emptyRow)
  const [list, setList] = useState<TypedList>({ text: '' })
  const [finished, setFinished] = useState(false)
  const adding = useAddUsers()
  const closeSaved = useCloseSaved(onClose)
  const typed = list.text.trim() !== '' || changedKeys(row, emptyRow).length > 0
  // Closing would not stop a running import, only hide it.
  const leave = () => !adding.action.busy && void closeSaved(adding.added)
  const close = useConfirmClose(typed && !finished && !adding.action.busy, leave)
  const add = async (rows: readonly UserRow[]) => {
    if (await adding.action.start(rows)) setFinished(true)
  }
  return (
    <Dialog
      opened
      onClose={close}
      title={finished ? t('admin.users.added', { count: adding.added.length }) : t('admin.users.add')}
      sub={finished ? undefined : t('admin.users.addText')}
      size={way === 'one' ? 640 : 960}
      tall
    >
      {finished ? (
        <AddedUsers rows={adding.added} onDone={leave} />
      ) : (
        <div className={u.add}>
          <SegmentedControl
            aria-label={t('admin.users.way')}
            disabled={adding.action.busy}
            value={way}
            onChange={(value) => {
              setWay(value as 'one' | 'list')
              adding.forget()
            }}
            data={[
              { value: 'one', label: t('admin.users.wayOne') },
              { value: 'list', label: t('admin.users.wayList') },
            ]}
          />
          {way === 'one' ? (
            <AddOneUser row={row} onRow={setRow} adding={adding} onAdd={(sent) => void add([sent])} onClose={leave} />
          ) : (
            <AddUserList list={list} onList={setList} adding={adding} onAdd={(rows) => void add(rows)} onClose={leave} />
          )}
        </div>
      )}
    </Dialog>
  )
}
