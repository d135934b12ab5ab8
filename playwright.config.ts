import { defineConfig } from '@playwright/test'

// Quiet on a closed network; a browser's sandbox does not work for root.
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export default defineConfig({
  testDir: 'e2e',
  workers: 1,
  timeout: 120_000,
  outputDir: 'test-results',
  use: {
    launchOptions: { executablePath: '/usr/bin/chromium', args: [...quiet, ...asRoot] },
    actionTimeout: 15_000,
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
  },
})
