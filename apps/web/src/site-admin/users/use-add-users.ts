/** Adds accounts in batches, with progress; added ones stay when a later batch is refused. */
import { addUsers } from '@vexil/contract/users'
import { useState } from 'react'
import { call, type Refusal } from '../../api/client.ts'
import { keepPasswords } from '../../shell/new-passwords.ts'
import { type Action, useAction, useErrorText } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useUsersChanged } from '../people.queries.ts'
import { batchesOf, type UserRow, wireUser } from './user-rows.ts'

export interface Adding {
  readonly action: Action<readonly UserRow[]>
  readonly added: readonly UserRow[]
  readonly refused: { readonly row: UserRow | undefined; readonly reason: string } | undefined
  readonly forget: () => void
}

export function useAddUsers(): Adding {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const changed = useUsersChanged()
  const [added, setAdded] = useState<readonly UserRow[]>([])
  const [refused, setRefused] = useState<Adding['refused']>()
  const send = async (batch: readonly UserRow[]) => {
    try {
      await call(addUsers, { body: batch.map(wireUser) })
    } catch (error) {
      const { data } = error as Refusal
      const { row, reason } = (data ?? {}) as { row?: number; reason?: string }
      setRefused({ row: batch[(row ?? 0) - 1], reason: reason ?? errorText(error) })
      throw error
    }
    keepPasswords(batch.filter(({ generated }) => generated))
    setAdded((before) => [...before, ...batch])
  }
  const action = useAction({
    id: 'add-users',
    call: async (rows: readonly UserRow[]) => {
      setRefused(undefined)
      try {
        for (const batch of batchesOf(rows)) await send(batch)
      } finally {
        void changed()
      }
    },
    done: (_, rows) => t('admin.users.added', { count: rows.length }),
    failed: t('admin.users.notAdded'),
    // The row and the reason are shown in the dialog.
    onFail: ({ http }) => http !== 0 && http !== 401,
  })
  return { action, added, refused, forget: () => setRefused(undefined) }
}
