import { expect, test } from '@playwright/test'
import { startPlatform } from '../platform.ts'

test('a started platform answers a browser, even after a kill', async ({ page }) => {
  const first = await startPlatform()
  await page.goto(`${first.url}/healthz`)
  await expect(page.getByText('Healthy')).toBeVisible()
  await first.kill9()
  const second = await startPlatform({ dataDir: first.dataDir })
  await page.goto(`${second.url}/healthz`)
  await expect(page.getByText('Healthy')).toBeVisible()
  await second.stop()
})
