import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { RouterProvider } from 'react-router/dom'
import { queryClient } from './api/query-client.ts'
import { router } from './routes.tsx'
import { ErrorBoundary } from './shell/error-screen.tsx'
import { Themed } from './shell/themed.tsx'
import { ConfirmProvider } from './ui/overlays/confirm.tsx'
import { Toasts } from './ui/overlays/toasts.tsx'

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
