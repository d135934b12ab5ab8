/** Colours of the page: the person's, the site's or the platform's, light or dark as set on this device. */
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { makeTheme, writeVariables } from '../ui/base/theme.ts'
import { colourInForce, useColourChoice } from './preferences.ts'
import { useSite } from './site.ts'

const schemes = localStorageColorSchemeManager({ key: 'scheme' })
const system = matchMedia('(prefers-color-scheme: light), (prefers-color-scheme: dark)').matches ? 'auto' : 'dark'

export function Themed({ children }: { readonly children: ReactNode }) {
  const { customTheme } = useSite()
  const colour = colourInForce(useColourChoice(), customTheme)
  const theme = useMemo(() => makeTheme(colour), [colour])
  return (
    <MantineProvider theme={theme} cssVariablesResolver={writeVariables} colorSchemeManager={schemes} defaultColorScheme={system}>
      {children}
    </MantineProvider>
  )
}
