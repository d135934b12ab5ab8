/** Generated passwords that were not saved yet: in the memory of this tab, never in storage, in a query or in an action. */
import { useSyncExternalStore } from 'react'
import { makeWatchers } from '../api/watchers.ts'

export interface NewPassword {
  readonly userName: string
  readonly password: string
  /** Empty when unknown. */
  readonly email: string
  readonly teamName: string
}

let kept: readonly NewPassword[] = []
const { subscribe, notify } = makeWatchers()

function replace(next: readonly NewPassword[]): void {
  kept = next
  notify()
}

export const newPasswords = (): readonly NewPassword[] => kept

/** Keeps passwords until they are saved. A newer password of an account replaces the older one. */
export function keepPasswords(passwords: readonly NewPassword[]): void {
  const names = new Set(passwords.map(({ userName }) => userName))
  replace([...kept.filter(({ userName }) => !names.has(userName)), ...passwords])
}

/** Forgets passwords that were copied, downloaded or discarded; without names all of them. */
export function forgetPasswords(names?: readonly string[]): void {
  replace(names ? kept.filter(({ userName }) => !names.includes(userName)) : [])
}

export const useNewPasswords = (): readonly NewPassword[] => useSyncExternalStore(subscribe, newPasswords)
