/** The providers around every screen, outermost first. */
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode, useMemo } from 'react'
import { RouterProvider } from 'react-router/dom'
import { queryClient } from './api/query-client.ts'
import { router } from './routes.tsx'
import { ErrorBoundary } from './shell/error-screen.tsx'
import { colourInForce, useColourChoice } from './shell/preferences.ts'
import { useSite } from './shell/site.ts'
import { ConfirmProvider } from './ui/confirm.tsx'
import { makeTheme, writeVariables } from './ui/theme.ts'
import { Toasts } from './ui/toasts.tsx'

const schemes = localStorageColorSchemeManager({ key: 'scheme' })
const system = matchMedia('(prefers-color-scheme: light), (prefers-color-scheme: dark)').matches ? 'auto' : 'dark'

function Themed({ children }: { readonly children: ReactNode }) {
  const { customTheme } = useSite()
  const colour = colourInForce(useColourChoice(), customTheme)
  const theme = useMemo(() => makeTheme(colour), [colour])
  return (
    <MantineProvider theme={theme} cssVariablesResolver={writeVariables} colorSchemeManager={schemes} defaultColorScheme={system}>
      {children}
    </MantineProvider>
  )
}

export function App() {
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Themed>
          <Toasts />
          <ErrorBoundary>
            <ConfirmProvider>
              <RouterProvider router={router} />
            </ConfirmProvider>
          </ErrorBoundary>
        </Themed>
      </QueryClientProvider>
    </StrictMode>
  )
}
