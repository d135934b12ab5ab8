import { Kbd } from '@mantine/core'
import { Fragment } from 'react'
import { useShownKeys } from '../ui/keys.ts'
import c from './keys-dialog.module.css'
import { LetterSwitch } from './letter-switch.tsx'
import { written } from './written-key.ts'

/** The content of the dialog of keyboard shortcuts. */
export default function KeysList() {
  const shown = useShownKeys()
  const named = [...new Map(shown.map((one) => [one.key, one])).values()]
  return (
    <>
      <dl className={c.keys}>
        {named.map(({ key, name }) => (
          <Fragment key={key}>
            <dt>
              <Kbd>{written(key)}</Kbd>
            </dt>
            <dd>{name}</dd>
          </Fragment>
        ))}
      </dl>
      <LetterSwitch />
    </>
  )
}
