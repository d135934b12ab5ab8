import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './ui/base/base.css'
import '@mantine/core/styles.layer.css'
import { createRoot } from 'react-dom/client'
import { keepAnswers } from './api/answer-cache.ts'
import { watchConnection } from './api/connection.ts'
import { healQueries, queryClient } from './api/query-client.ts'
import { App } from './app.tsx'
import { loadStartPage } from './routes.tsx'
import { startLanguages } from './shell/i18n.ts'
import { showDensity } from './shell/preferences.ts'
import { watchStyles } from './ui/base/chunk-recovery.ts'
import { watchForms } from './ui/overlays/focus-wrong.ts'

showDensity()
keepAnswers(queryClient, import.meta.env.VITE_VERSION)
watchConnection()
watchForms()
watchStyles()
healQueries(queryClient)

// Not awaited at the top: other files import this one and would wait for it, that of the start page included.
async function start(): Promise<void> {
  // The texts first: a page never shows a key.
  await Promise.all([startLanguages(), loadStartPage()])
  const root = document.getElementById('root')
  if (root) createRoot(root).render(<App />)
}
void start()
