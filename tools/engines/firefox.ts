/** The installed Firefox, driven by WebDriver BiDi. */
import { launch } from 'puppeteer-core'
import { type Engine, type Tab, viewport } from './browser-engine.ts'

export async function openFirefox(): Promise<Engine> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    defaultViewport: viewport,
    // Scrollbars that take up space, as on most desktops.
    extraPrefsFirefox: { 'widget.gtk.overlay-scrollbars.enabled': false },
  })
  return {
    async openTab(): Promise<Tab> {
      const page = await (await browser.createBrowserContext()).newPage()
      return {
        goto: async (url) => void (await page.goto(url)),
        evaluate: (expression) => page.evaluate(expression),
        // A background tab has no focus, and its fields get neither focus nor blur events.
        click: (x, y) => page.bringToFront().then(() => page.mouse.click(x, y)),
        type: (text) => page.keyboard.type(text),
        screenshot: () => page.screenshot(),
      }
    },
    close: () => browser.close(),
  }
}
