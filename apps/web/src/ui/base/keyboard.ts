import { useHotkeys } from '@mantine/hooks'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { makeStorageWatchers } from '../../api/watchers.ts'

export interface Key {
  /** In the syntax of `useHotkeys`: `n`, `mod+s`, `alt+ArrowLeft`. */
  readonly key: string
  readonly name: string
  readonly act: () => void
}

const storageKey = 'letter-keys'
const { subscribe, notify } = makeStorageWatchers()
/** The keys of all parts on screen, newest last. */
let shown: readonly Key[] = []

/** Whether single letters are shortcuts; on unless switched off on this device. */
export function lettersListen(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

export function chooseLetters(on: boolean): void {
  try {
    if (on) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, 'off')
  } catch {
    // Storage is off: single-letter shortcuts stay on.
  }
  notify()
}

export const useLettersListen = (): boolean => useSyncExternalStore(subscribe, lettersListen)
export const useShownKeys = (): readonly Key[] => useSyncExternalStore(subscribe, () => shown)

/** Does what the newest part on screen has registered for `key`. */
export const runShown = (key: string): void => shown.findLast((one) => one.key === key)?.act()

const isLetter = (key: string) => !/\+./.test(key) && key.length === 1

/** Registers keys for the list of keys and for the palette. */
export function useNamed(keys: readonly Key[]): void {
  const serialised = JSON.stringify(keys.map(({ key, name }) => [key, name]))
  // `act` is a new function at each render; only a change of the names updates the list.
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const named = (JSON.parse(serialised) as [string, string][]).map(([key, name], index): Key => {
      return { key, name, act: () => latest.current[index]?.act() }
    })
    shown = [...shown, ...named]
    notify()
    return () => {
      shown = shown.filter((one) => !named.includes(one))
      notify()
    }
  }, [serialised])
}

const isInDialog = ({ target }: Event) => target instanceof Element && target.closest('[role=dialog]') !== null

/** Shortcuts of a screen. Inactive while a text is typed unless `everywhere`. Single letters can be switched off, and are inactive in dialogs. */
export function useKeys(keys: readonly Key[], everywhere = false): void {
  useNamed(keys)
  useHotkeys(
    keys.map(({ key, act }) => [key, (event) => (!isLetter(key) || (lettersListen() && !isInDialog(event))) && act()]),
    everywhere ? [] : undefined,
  )
}
