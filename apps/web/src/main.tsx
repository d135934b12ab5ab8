import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './ui/base/base.css'
import '@mantine/core/styles.layer.css'
import { createRoot } from 'react-dom/client'
import { keepAnswers } from './api/answer-cache.ts'
import { watchConnection } from './api/connection.ts'
import { queryClient, refetchOnReturn } from './api/query-client.ts'
import { App } from './app.tsx'
import { loadFirstScreen } from './routes.tsx'
import { startLanguages } from './shell/i18n.ts'
import { showDensity } from './shell/preferences.ts'
import { watchStyles } from './ui/base/chunk-recovery.ts'
import { watchForms } from './ui/overlays/focus-wrong.ts'

showDensity()
keepAnswers(queryClient, import.meta.env.VITE_VERSION)
watchConnection()
watchForms()
watchStyles()
refetchOnReturn(queryClient)

// No top-level await: files that import this one would wait for it, including the screens.
async function start(): Promise<void> {
  // Texts are loaded before the first render, so that no key is shown.
  await Promise.all([startLanguages(), loadFirstScreen()])
  const root = document.getElementById('root')
  if (root) createRoot(root).render(<App />)
}
void start()
